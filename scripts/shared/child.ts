import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { Failure } from "./command-line.ts";
import { PROJECT_ROOT } from "./root.ts";

const TAIL_LINES = 20;
const FLUSH_MS = 500;

export interface ChildOptions {
  /** The name for messages, such as "The inference service". */
  readonly name: string;
  /** The Node script and its arguments. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file for its output; that of the previous run is kept as `.previous`. */
  readonly logFile: string;
  readonly onLine?: (line: string) => void;
}

export interface Child {
  /** Resolves once it has ended and its output is read, with the reason: "exit code 1", "SIGKILL". */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** Returns the failure to report if it ended unexpectedly: its name, the event, and its last lines. */
  readonly failure: (what: string) => Failure;
  /** Sends SIGTERM, then SIGKILL if it still runs after the grace period. */
  readonly stop: (graceMs: number) => Promise<void>;
}

async function keepPrevious(logFile: string): Promise<void> {
  await rename(logFile, `${logFile}.previous`).catch(() => undefined);
}

/** Starts a Node script in the launcher's process group, so that one signal to the group reaches the whole stack. */
export async function startChild(options: ChildOptions): Promise<Child> {
  await keepPrevious(options.logFile);
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  const child = spawn(process.execPath, options.args, {
    cwd: PROJECT_ROOT,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let logError: Error | undefined;
  log.on("error", (error) => {
    logError = error;
    child.kill("SIGTERM");
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
    // "close" is not enough: a process that this one started may outlive it and hold its output open.
    const report = (code: number | null, signal: string | null): void =>
      resolve(signal ?? `exit code ${code}`);
    child.once("close", report);
    child.once("exit", (code, signal) => void setTimeout(report, FLUSH_MS, code, signal).unref());
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
        logError === undefined
          ? `${options.name} ${what}. The full log is ${options.logFile}. Its last lines:\n` +
              tail.map((line) => `  ${line}`).join("\n")
          : `${options.name} was stopped, because its log ${options.logFile} cannot be written: ${logError.message}`,
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

const LISTENING_PATIENCE_MS = 60_000;

/** The URL in a part's `listening` line; null for any other line. */
export function listeningUrl(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("msg" in entry) || !("url" in entry)) return null;
    return entry.msg === "listening" && typeof entry.url === "string" ? entry.url : null;
  } catch {
    return null;
  }
}

/** Starts a part that chooses its port and prints its URL, and resolves with that URL. If it fails, it leaves nothing running. */
export async function startListeningChild(
  options: ChildOptions,
  signal: AbortSignal,
): Promise<{ child: Child; url: string }> {
  const announced = Promise.withResolvers<string>();
  const child = await startChild({
    ...options,
    onLine: (line) => {
      const url = listeningUrl(line);
      if (url !== null) announced.resolve(url);
      options.onLine?.(line);
    },
  });
  const timer = new AbortController();
  const url = await Promise.race([
    announced.promise,
    child.ended.then((why) => child.failure(`ended during its start (${why})`)),
    sleep(LISTENING_PATIENCE_MS, null, { signal: AbortSignal.any([timer.signal, signal]) })
      .then(() => child.failure("did not listen within a minute"))
      .catch(() => child.failure("was interrupted")),
  ]);
  timer.abort();
  if (typeof url === "string") return { child, url };
  await child.stop(0);
  signal.throwIfAborted();
  throw url;
}
