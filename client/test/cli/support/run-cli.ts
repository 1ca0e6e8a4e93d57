import { Readable } from "node:stream";
import { runCommandLine } from "../../../src/cli/run.ts";
import { Interrupted, type Terminal } from "../../../src/cli/terminal.ts";

/** What a command line printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What it is given, or a terminal of its own. */
  readonly stdin?: string | Terminal["stdin"];
  readonly onReport?: (line: string) => unknown;
  /** Whether its terminal is one that a person watches. */
  readonly isInteractive?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process, with a terminal of its own. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, stdin = "", isInteractive = false } = options;
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    print: (line) => void (out += `${line}\n`),
    report: (line) => {
      err += `${line}\n`;
      options.onReport?.(line);
    },
    draw: (text) => void (err += text),
    stdin: typeof stdin === "string" ? Readable.from([stdin]) : stdin,
    // Nobody's login is used.
    env: { HOME: "/nonexistent", ...env },
    isInteractive,
    hasColours: false,
    columns: 80,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await runCommandLine(args, terminal);
  return { code, out, err };
}

/** A signal that ends a command line as Ctrl-C does. */
export function controlC(): { readonly signal: AbortSignal; readonly press: () => void } {
  const control = new AbortController();
  return { signal: control.signal, press: () => control.abort(new Interrupted(130)) };
}
