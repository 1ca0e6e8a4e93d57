/** The spread of a quantity over several runs, because machines are noisy. */
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
