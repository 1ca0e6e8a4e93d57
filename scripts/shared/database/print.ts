import type { Row } from "./database.ts";

/** A command's result: one row or a list of rows, and an exit code if it is not 0. */
export interface Outcome {
  readonly result: Row | readonly Row[];
  /** A table below the result; with --json, the result's field `details`. */
  readonly details?: readonly Row[];
  readonly summary?: string;
  readonly exitCode?: 0 | 1;
}

const isTime = (name: string): boolean => name.endsWith("_at") || name.endsWith("At");

/** A row with its times (epoch milliseconds) converted to ISO 8601. */
export const readable = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      isTime(name) && typeof value === "number" ? new Date(value).toISOString() : value,
    ]),
  );

/** A value that is safe for a terminal: names and labels come from others and may contain control sequences. */
const shown = (value: Row[string]): string =>
  String(value ?? "-").replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

function printOne(row: Row): void {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  for (const [name, value] of Object.entries(row)) console.log(`${name.padEnd(width)}  ${shown(value)}`);
  if ("secret" in row) console.log("\nThe secret is shown only now; the database stores only its digest.");
}

function printTable(rows: readonly Row[]): void {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => shown(row[name] ?? null)))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

const isList = (result: Outcome["result"]): result is readonly Row[] => Array.isArray(result);

/** Prints a result as a table, or as JSON. */
export function print({ result, details, summary }: Outcome, json: boolean): void {
  if (json) {
    console.log(JSON.stringify(isList(result) || details === undefined ? result : { ...result, details }));
    return;
  }
  if (isList(result)) printTable(result);
  else printOne(result);
  if (details !== undefined) {
    console.log();
    printTable(details);
  }
  if (summary !== undefined) console.log(summary);
}
