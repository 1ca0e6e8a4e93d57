import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Mark } from "../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

/** One run of a tool of node_modules/.bin; its exit code says whether it passed. */
export interface Step {
  readonly name: string;
  readonly tool: string;
  readonly args: readonly string[];
}

/** The static checks: types, lint (with directions and cycles of imports), format. */
function staticChecks(): Step[] {
  const projects = globSync("{,test/,protocol/,client/,studio/,inference-container/}tsconfig*.json", {
    cwd: PROJECT_ROOT,
  });
  const steps: Step[] = projects
    .filter((project) => !project.endsWith("tsconfig.base.json") && !project.endsWith("tsconfig.build.json"))
    .toSorted()
    .map((project) => ({ name: `types (${project})`, tool: "tsc", args: ["-p", project] }));
  steps.push(
    { name: "lint", tool: "oxlint", args: [] },
    { name: "format", tool: "oxfmt", args: ["--check", "."] },
  );
  return steps;
}

/** Runs all static checks, even after a failure, and prints each one's output when it ends. Returns the names of those that failed. */
export async function runStaticChecks(mark: Mark, signal: AbortSignal): Promise<string[]> {
  const failed: string[] = [];
  for (const step of staticChecks()) {
    const { hasPassed, output } = await runStep(step, "kept", mark, signal);
    console.log(hasPassed ? `— ${step.name}: passed` : `\n${output.trim()}\n— ${step.name}: failed\n`);
    if (!hasPassed) failed.push(step.name);
  }
  return failed;
}

/**
 * Runs a step and shows or keeps its output. An abort ends the step, and then rejects with the signal's reason.
 */
export async function runStep(
  { tool, args }: Step,
  output: "shown" | "kept",
  mark: Mark,
  signal: AbortSignal,
): Promise<{ readonly hasPassed: boolean; readonly output: string }> {
  signal.throwIfAborted();
  const to = output === "shown" ? "inherit" : "pipe";
  const child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", tool), args, {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...mark },
    stdio: ["ignore", to, to],
  });
  const end = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  const [[code], ...printed] = await Promise.all([
    once(child, "close"),
    ...[child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream))),
  ]);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  return { hasPassed: code === 0, output: printed.join("") };
}
