import type { Readable } from "node:stream";

/** Input and output of a command: the process's own terminal, or a test's. */
export interface Terminal {
  /** Prints a line of the output, to stdout. */
  readonly print: (line: string) => void;
  /** Prints a notice or an error, to stderr. */
  readonly report: (line: string) => void;
  /** Redraws the line of the progress; only if `isInteractive`. */
  readonly draw: (text: string) => void;
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a person is watching: only then the command draws its progress. */
  readonly isInteractive: boolean;
  /** True if the output may have colors. */
  readonly hasColours: boolean;
  readonly columns: number;
  /** Aborts on Ctrl-C, or when the system ends the process. */
  readonly signal: AbortSignal;
}

/** The reason why a command was interrupted, and its exit code. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("Interrupted.");
    this.exitCode = exitCode;
  }
}

export const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The terminal of this process. The first signal lets the command finish in order; the second ends it at once. */
export function processTerminal(): Terminal {
  const control = new AbortController();
  for (const [name, code] of Object.entries(EXIT_CODES))
    process.on(name, () => {
      if (control.signal.aborted) process.exit(code);
      control.abort(new Interrupted(code));
    });
  return terminalUntil(control.signal);
}

/** The terminal of this process, for a command that a signal ends. */
export function terminalUntil(signal: AbortSignal): Terminal {
  const { stdin, stdout, stderr, env } = process;
  // A reader that has seen enough, such as `head`, is not a failure.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const isDumb = env["TERM"] === "dumb";
  return {
    print: (line) => void stdout.write(`${line}\n`),
    report: (line) => void stderr.write(`${line}\n`),
    draw: (text) => void stderr.write(text),
    stdin,
    env,
    isInteractive: stderr.isTTY && !isDumb,
    hasColours: stdout.isTTY && !isDumb && !env["NO_COLOR"],
    get columns() {
      return stderr.columns || 80;
    },
    signal,
  };
}
