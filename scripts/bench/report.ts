/** A row of a report: its label, the value of one run, and the number of decimals. */
export type Row<Run> = readonly [label: string, value: (run: Run) => number, decimals: number];

/** A column of a report: the runs of one kind. */
export interface Column<Run> {
  readonly heading: string;
  readonly runs: readonly Run[];
}

/** A Markdown table. All columns except the first are numbers. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const rule = heading.map((_, column) => (column === 0 ? "---" : "---:"));
  return [heading, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** A Markdown table of runs: median [least–most] per row, one column per kind, with its number of runs. */
export function spreadTable<Run>(rows: readonly Row<Run>[], columns: readonly Column<Run>[]): string[] {
  return markdownTable(
    ["median [least–most]", ...columns.map(({ heading, runs }) => `${heading} (${runs.length})`)],
    rows.map(([label, value, decimals]) => [
      label,
      ...columns.map(({ runs }) => formatSpread(spread(runs.map(value)), decimals)),
    ]),
  );
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median, least and most of one or more values. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** Formats a spread as `median [least–most]`. */
export const formatSpread = ({ median, least, most }: Spread, decimals = 0): string =>
  `${median.toFixed(decimals)} [${least.toFixed(decimals)}–${most.toFixed(decimals)}]`;

/** The rate per second of `count` events in `ms` milliseconds. */
export const ratePerSecond = (count: number, ms: number): number => (1_000 * count) / ms;
