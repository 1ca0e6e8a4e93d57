import { Readable } from "node:stream";
import { runCommandLine } from "../../../src/cli/run.ts";
import { Interrupted, type Terminal } from "../../../src/cli/terminal.ts";

/** Output of a command line, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Its input, or a complete stdin. */
  readonly stdin?: string | Terminal["stdin"];
  readonly onReport?: (line: string) => unknown;
  /** True if a person watches its terminal. */
  readonly isInteractive?: boolean;
  readonly signal?: AbortSignal;
}

/** A terminal without output and input, for a user without a login. */
export const NO_TERMINAL: Terminal = {
  print: () => {},
  report: () => {},
  draw: () => {},
  stdin: Readable.from([]),
  env: { HOME: "/nonexistent" },
  isInteractive: false,
  hasColours: false,
  columns: 80,
  signal: new AbortController().signal,
};

/** Runs a command line in this process, with a separate terminal. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, stdin = "", isInteractive = false } = options;
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    ...NO_TERMINAL,
    print: (line) => void (out += `${line}\n`),
    report: (line) => {
      err += `${line}\n`;
      options.onReport?.(line);
    },
    draw: (text) => void (err += text),
    stdin: typeof stdin === "string" ? Readable.from([stdin]) : stdin,
    env: { ...NO_TERMINAL.env, ...env },
    isInteractive,
    signal: options.signal ?? NO_TERMINAL.signal,
  };
  const code = await runCommandLine(args, terminal);
  return { code, out, err };
}

/** A signal that ends a command line as Ctrl-C does. */
export function controlC(): { readonly signal: AbortSignal; readonly press: () => void } {
  const control = new AbortController();
  return { signal: control.signal, press: () => control.abort(new Interrupted(130)) };
}
