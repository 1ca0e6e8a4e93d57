import { formatSpread, spread } from "./statistics.ts";

/** A row of a report: what is measured, from one run, with its decimals. */
export type Row<Run> = readonly [label: string, value: (run: Run) => number, decimals: number];

/** A column of a report: the runs of one kind. */
export interface Column<Run> {
  readonly heading: string;
  readonly runs: readonly Run[];
}

/** A Markdown table of which all columns but the first are numbers. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rule = heading.map((_, column) => (column === 0 ? "---" : "---:"));
  return [heading, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** Runs as a Markdown table: median [least–most] of each row, each kind in a column with its number of runs. */
export function spreadTable<Run>(rows: readonly Row<Run>[], columns: readonly Column<Run>[]): string[] {
  return markdownTable(
    ["median [least–most]", ...columns.map(({ heading, runs }) => `${heading} (${runs.length})`)],
    rows.map(([label, value, decimals]) => [
      label,
      ...columns.map(({ runs }) => formatSpread(spread(runs.map(value)), decimals)),
    ]),
  );
}
