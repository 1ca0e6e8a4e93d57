import type { Terminal } from "../terminal.ts";
import type { OptionTable } from "./parse.ts";

/** One command of the command line. */
export interface Command {
  /** In one line, for the list of commands. */
  readonly summary: string;
  /** What `--help` prints: at most 24 lines of 80 columns, with examples. */
  readonly help: string;
  /** Beside those that all commands take. */
  readonly options: OptionTable;
  /** What its first argument may be, for completion. */
  readonly words?: readonly string[];
  /** Whether its arguments are files, for completion. */
  readonly takesFiles?: boolean;
  /** @returns the exit code @throws Failure, SegmentationError, or the reason of the terminal's signal */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>;
}
