import { styleText } from "node:util";
import type { Terminal } from "../terminal.ts";

/** A string in a style, if the terminal shows any. */
export const style = (terminal: Terminal, name: "bold" | "red" | "green" | "dim", text: string): string =>
  terminal.hasColours ? styleText(name, text, { validateStream: false }) : text;

/** The columns of a terminal that a string takes: characters of East Asia and emoji take two. */
export const widthOf = (text: string): number =>
  Array.from(text).reduce(
    (sum, character) => sum + (WIDE.test(character) ? 2 : MARK.test(character) ? 0 : 1),
    0,
  );

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const MARK = /\p{Mark}/u;

/** A string without control characters: the name of a file or a prompt must not control the terminal. */
export const harmless = (text: string): string => text.replaceAll(/\p{Control}/gu, "�");

type Rows = readonly (readonly (string | number)[])[];

/** Prints a value as JSON. */
export const printJson = (terminal: Terminal, value: unknown): void =>
  terminal.print(JSON.stringify(value, null, 2));

/** Prints a table, or its items as JSON; without items a notice. */
export function printList<Item>(
  terminal: Terminal,
  items: readonly Item[],
  table: {
    readonly isJson: boolean | undefined;
    readonly none: string;
    readonly heading: readonly string[];
    readonly row: (item: Item) => Rows[number];
  },
): void {
  if (table.isJson === true) printJson(terminal, items);
  else if (items.length === 0) terminal.report(table.none);
  else for (const line of formatTable(table.heading, items.map(table.row))) terminal.print(line);
}

/** Formats a table: columns as wide as their longest cell, numbers right-aligned. */
export function formatTable(heading: readonly string[], rows: Rows): string[] {
  const texts = [heading, ...rows].map((row) => row.map((cell) => harmless(String(cell))));
  const widths = heading.map((_, i) =>
    texts.reduce((width, row) => Math.max(width, widthOf(row[i] ?? "")), 0),
  );
  return texts.map((row, at) =>
    row
      .map((text, i) => {
        const gap = " ".repeat((widths[i] ?? 0) - widthOf(text));
        const isNumber = at === 0 ? typeof rows[0]?.[i] === "number" : typeof rows[at - 1]?.[i] === "number";
        return isNumber ? gap + text : text + gap;
      })
      .join("  ")
      .trimEnd(),
  );
}
