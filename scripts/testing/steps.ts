import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Mark } from "../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

/** One tool run; its exit code says whether it passed. */
export interface Step {
  readonly name: string;
  readonly tool: string;
  readonly args: readonly string[];
}

/** The static checks: types, lint (the direction of imports too), format. */
export function staticChecks(): Step[] {
  const projects = globSync("{,test/,protocol/,inference-container/}tsconfig*.json", { cwd: PROJECT_ROOT });
  const steps: Step[] = projects
    .filter((project) => project !== "tsconfig.base.json")
    .toSorted()
    .map((project) => ({ name: `types (${project})`, tool: "tsc", args: ["-p", project] }));
  steps.push(
    { name: "lint", tool: "oxlint", args: [] },
    { name: "format", tool: "oxfmt", args: ["--check", "."] },
  );
  return steps;
}

/** Runs a tool of node_modules/.bin with its output shown; gives whether it passed. An abort ends it. */
export async function runStep(step: Step, mark: Mark, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  console.log(`\n— ${step.name}`);
  const child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", step.tool), step.args, {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...mark },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const end = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  const [code] = await once(child, "close");
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (code !== 0) console.log(`— ${step.name}: failed`);
  return code === 0;
}
