/** A measured quantity over several runs: what a noisy machine allows to say. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Median, least and most of at least one value. */
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

/** `median [least–most]`, with so many decimals. */
export const formatSpread = ({ median, least, most }: Spread, decimals = 0): string =>
  `${median.toFixed(decimals)} [${least.toFixed(decimals)}–${most.toFixed(decimals)}]`;

/** How many a second, of so many within so many milliseconds. */
export const ratePerSecond = (count: number, ms: number): number => (1_000 * count) / ms;
