import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the client's command line as a separate process. */
export function startCommandLine(
  args: readonly string[],
  { stdin = "", ...env }: Readonly<Record<string, string>> & { readonly stdin?: string },
  cwd = PROJECT_ROOT,
): Started {
  const main = join(PROJECT_ROOT, "client", "src", "cli", "main.ts");
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...process.env, ...env },
  });
  child.stdin.on("error", () => {}).end(stdin);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], out, err]): Ended => ({ code: typeof code === "number" ? code : null, out, err }),
  );
  return { child, ended };
}
