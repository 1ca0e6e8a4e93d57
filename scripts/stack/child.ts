import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const TAIL_LINES = 20;
const FLUSH_MS = 500;

export interface ChildOptions {
  /** How people call it: "The inference service". */
  readonly name: string;
  /** The Node script and its arguments. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What it prints is kept here; the run before is kept as `.previous`. */
  readonly logFile: string;
  readonly onLine?: (line: string) => void;
}

/** A running part of the stack. */
export interface Child {
  /** Resolves when it has ended and its output is read, with why: "exit code 1", "SIGKILL". */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** The failure to tell when it ended unasked: what ended, why, and its last lines. */
  readonly failure: (what: string) => Failure;
  /** SIGTERM, and SIGKILL for what is still there after the grace. */
  readonly stop: (graceMs: number) => Promise<void>;
}

async function keepPrevious(logFile: string): Promise<void> {
  await rename(logFile, `${logFile}.previous`).catch(() => undefined);
}

/** Starts a Node script in the launcher's own process group: one signal to the group reaches the whole stack. */
export async function startChild(options: ChildOptions): Promise<Child> {
  await keepPrevious(options.logFile);
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  const child = spawn(process.execPath, options.args, {
    cwd: PROJECT_ROOT,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tail: string[] = [];
  const take = (raw: string): void => {
    const line = stripVTControlCharacters(raw);
    log.write(`${line}\n`);
    if (line.trim() === "") return;
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    options.onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", take);
  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // Not "close" alone: what this process started may outlive it and hold its output open.
    const told = (code: number | null, signal: string | null): void => resolve(signal ?? `exit code ${code}`);
    child.once("close", told);
    child.once("exit", (code, signal) => void setTimeout(told, FLUSH_MS, code, signal).unref());
  }).then((why) => {
    over = true;
    log.end();
    return why;
  });
  return {
    ended,
    hasEnded: () => over,
    failure: (what) =>
      new Failure(
        `${options.name} ${what}. Its last lines (all of them: ${options.logFile}):\n` +
          tail.map((line) => `  ${line}`).join("\n"),
      ),
    stop: async (graceMs) => {
      child.kill("SIGTERM");
      const timer = new AbortController();
      const isLate = await Promise.race([
        ended.then(() => false),
        sleep(graceMs, true, { signal: timer.signal }).catch(() => false),
      ]);
      timer.abort();
      if (isLate) child.kill("SIGKILL");
      await ended;
    },
  };
}
