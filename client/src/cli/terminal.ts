import type { Readable } from "node:stream";

/** Where a command reads and writes: the process's own terminal, or a test's. */
export interface Terminal {
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
  /** Prints a line about what happens, beside it. */
  readonly tell: (line: string) => void;
  /** Writes over the line of the progress; only if `isInteractive`. */
  readonly draw: (text: string) => void;
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person watches: a progress is drawn only then. */
  readonly isInteractive: boolean;
  /** Whether what is printed may have colours. */
  readonly hasColours: boolean;
  readonly columns: number;
  /** Ends the command: Ctrl-C, or the system. */
  readonly signal: AbortSignal;
}

/** Why a command was told to end, and the exit code that says so. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("Interrupted.");
    this.exitCode = exitCode;
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The terminal of this process. The first signal to end lets the command end in order; the second ends it at once. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const control = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      if (control.signal.aborted) process.exit(EXIT_CODES[name]);
      control.abort(new Interrupted(EXIT_CODES[name]));
    });
  // A reader that has seen enough, such as `head`, is no failure.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const isDumb = env["TERM"] === "dumb";
  return {
    print: (line) => void stdout.write(`${line}\n`),
    tell: (line) => void stderr.write(`${line}\n`),
    draw: (text) => void stderr.write(text),
    stdin,
    env,
    isInteractive: stderr.isTTY && !isDumb,
    hasColours: stdout.isTTY && !isDumb && !env["NO_COLOR"],
    get columns() {
      return stderr.columns || 80;
    },
    signal: control.signal,
  };
}
