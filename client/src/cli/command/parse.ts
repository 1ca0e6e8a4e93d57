import { parseArgs } from "node:util";
import { systemCode, usageFailure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

interface OptionOfText {
  readonly type: "string";
  readonly short?: string;
  readonly multiple?: boolean;
}
interface Flag {
  readonly type: "boolean";
  readonly short?: string;
}

/** The options of a command by their names, as `parseArgs` of node:util takes them. */
export type OptionTable = Readonly<Record<string, OptionOfText | Flag>>;

/** The options of every command. */
const COMMON = {
  "base-url": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies OptionTable;

/** Reads a command's arguments. @throws Failure with exit code 2 that names the fault */
export function parse<const Options extends OptionTable>(
  command: string,
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options: { ...COMMON, ...options }, allowPositionals: true });
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!code.startsWith("ERR_PARSE_ARGS") || !(error instanceof Error)) throw error;
    const [, unknown] =
      code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(--?[^']+)'/.exec(error.message) ?? []) : [];
    if (unknown !== undefined && KEY.test(unknown))
      throw usageFailure(
        "A key is never an argument, because other users of the machine can see arguments. Run `segmentation-client login`, or set SEGMENTATION_API_KEY.",
      );
    // The sentences after the first are about a `--`, which hardly any user meant.
    const [sentence = ""] = error.message.split(/\. |\n/);
    const near = unknown === undefined ? [] : nearTo(unknown, Object.keys({ ...COMMON, ...options }));
    const guess = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
    throw usageFailure(`${sentence}.${guess} See segmentation-client ${command} --help.`);
  }
}

/** Options by which people give other programs a key. */
const KEY = /^--(?:api[-_]?)?(?:key|token)$/i;
/** The most mistakes of a misspelled option. */
const MOST_MISTAKES = 2;

/** Options that a misspelled one may mean: those that begin with it or that it begins with, else similar ones. */
export function nearTo(unknown: string, options: readonly string[]): string[] {
  const word = unknown.replace(/^-+/, "").toLowerCase();
  const parts = options.filter((option) => option.startsWith(word) || word.startsWith(option));
  const similar = options.filter((option) => mistakes(word, option) <= MOST_MISTAKES);
  return (parts.length > 0 ? parts : similar).map((option) => `--${option}`);
}

/** The number of letters to change, add or remove to turn one word into the other (Levenshtein's distance). */
function mistakes(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of one.split("").entries()) {
    const next = [i + 1];
    for (const [k, letterOfOther] of other.split("").entries())
      next.push(
        Math.min(
          (next[k] ?? 0) + 1,
          (row[k + 1] ?? 0) + 1,
          (row[k] ?? 0) + (letter === letterOfOther ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Limits of an option's number. */
export interface NumberBounds {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** An option's value as a number. @throws Failure if it is not a number, or out of bounds */
export function numberOf(
  option: string,
  value: string | undefined,
  { least, most = Infinity, isWhole = false }: NumberBounds,
): number | undefined {
  if (value === undefined) return undefined;
  const number = value.trim() === "" ? NaN : Number(value);
  if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return number;
  const bounds = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw usageFailure(`--${option} takes a ${isWhole ? "whole " : ""}number ${bounds}, not "${value}".`);
}

/** One command of the command line. */
export interface Command {
  /** In one line, for the list of commands. */
  readonly summary: string;
  /** Text of `--help`: at most 24 lines of 80 columns, with examples. */
  readonly help: string;
  /** In addition to those of all commands. */
  readonly options: OptionTable;
  /** @returns the exit code @throws Failure, SegmentationError, or the reason of the terminal's signal */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>;
}
