import type { Command } from "../command/command.ts";
import { COMMON, type OptionTable } from "../command/parse.ts";

/** A command as shells complete it. */
export interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly words: readonly string[];
  readonly takesFiles: boolean;
  readonly options: readonly {
    readonly name: string;
    readonly short: string | undefined;
    readonly takesValue: boolean;
    readonly values: readonly string[];
    readonly isPath: boolean;
  }[];
}

/** What shells need to know of commands. */
export function wordsOf(commands: Readonly<Record<string, Command>>): Completed[] {
  return Object.entries(commands).map(([name, { summary, words = [], takesFiles = false, options }]) => {
    const all: OptionTable = { ...options, ...COMMON };
    return {
      name,
      summary,
      words,
      takesFiles,
      options: Object.entries(all).map(([option, how]) => ({
        name: option,
        short: how.short,
        takesValue: how.type === "string",
        values: how.type === "string" ? (how.values ?? []) : [],
        isPath: how.type === "string" && how.isPath === true,
      })),
    };
  });
}
