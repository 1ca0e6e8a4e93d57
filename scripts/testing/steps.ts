import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Mark } from "../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

/** One run of a tool of node_modules/.bin; its exit code tells if it passed. */
interface Step {
  readonly name: string;
  readonly tool: string;
  readonly args: readonly string[];
}

/** The static checks. The linter checks types as well, each file's by the tsconfig.json that is nearest to it. */
const STATIC_CHECKS: readonly Step[] = [
  { name: "types, lint", tool: "oxlint", args: [] },
  { name: "types (client without Node)", tool: "tsc", args: ["-p", "client/tsconfig.web.json"] },
  { name: "format", tool: "oxfmt", args: ["--check", "."] },
];

/**
 * Runs all static checks, even after a failure, and prints the output of a failed one; calls `onPass` for the others. Returns the
 * names of the failed checks.
 */
export async function runStaticChecks(
  mark: Mark,
  signal: AbortSignal,
  onPass: (name: string) => void = () => {},
): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, tool, args } of STATIC_CHECKS) {
    signal.throwIfAborted();
    const child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", tool), args, {
      cwd: PROJECT_ROOT,
      // The type checker is written in Go: by default, garbage collection takes a fifth of its time. Its programs have 1 GB.
      env: { GOGC: "off", GOMEMLIMIT: "3GiB", ...process.env, ...mark },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [code, ...printed] = await Promise.all([
      endOf(child, signal),
      text(child.stdout),
      text(child.stderr),
    ]);
    if (code === 0) {
      onPass(name);
      continue;
    }
    console.log(`\n${printed.join("").trim()}\n— ${name}: failed\n`);
    failed.push(name);
  }
  return failed;
}

/** A child's exit code, or null if a signal ended it. An abort ends the child, and then rejects with the signal's reason. */
export async function endOf(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  const end = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  const [code] = await once(child, "close");
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  return typeof code === "number" ? code : null;
}
