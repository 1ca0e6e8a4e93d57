/** What every command of the project shares: exit codes, sentences instead of stack traces, Ctrl-C. */

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndingSignal = (typeof ENDING_SIGNALS)[number];
const EXIT_CODES: Readonly<Record<EndingSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** A failure told in one sentence, without a stack trace; exit code 2 is for a wrong command line, 1 for all else. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: number;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A command line that can't be understood: exit code 2. */
export function usageError(message: string): Failure {
  return new Failure(message, 2);
}

/** Why a command was asked to end. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`Interrupted by ${signal}.`);
    this.exitCode = EXIT_CODES[signal];
  }
}

/**
 * Runs a command and ends the process with its exit code.
 * The first SIGINT, SIGTERM or SIGHUP aborts `signal` with an `Interrupted` and leaves the command time to clean up;
 * a repeated one, more than a moment later, ends the process at once.
 */
export async function runCommand(command: (signal: AbortSignal) => Promise<number>): Promise<never> {
  const controller = new AbortController();
  let firstAt = 0;
  for (const name of ENDING_SIGNALS) {
    process.on(name, () => {
      // A terminal's Ctrl-C reaches this process twice: from the terminal and passed on by npm.
      if (firstAt > 0 && Date.now() - firstAt > 1_000) process.exit(EXIT_CODES[name]);
      if (firstAt > 0) return;
      firstAt = Date.now();
      console.error("\nStopping…");
      controller.abort(new Interrupted(name));
    });
  }
  try {
    process.exit(await command(controller.signal));
  } catch (error) {
    const cause = controller.signal.aborted ? controller.signal.reason : error;
    if (cause instanceof Interrupted) process.exit(cause.exitCode);
    if (error instanceof Failure) {
      console.error(error.message);
      process.exit(error.exitCode);
    }
    console.error(error);
    process.exit(1);
  }
}
