import type { Answer } from "segmentation-client";

export type UsageDay = Answer<"getAccountUsage">["days"][number];

/** Days of a bar of the chart: a day, or the days from the first to the last. */
export interface Bar {
  readonly first: string;
  readonly last: string;
  readonly units: number;
  readonly jobs: number;
}

/** Beyond this many days a bar is a week: bars of days would be too narrow on a phone. */
const MOST_DAILY_BARS = 92;
const WEEK = 7;

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

/** Sums the usage. */
export const totalOf = (days: readonly UsageDay[]): { readonly units: number; readonly jobs: number } => ({
  units: sum(days.map(({ units }) => units)),
  jobs: sum(days.map(({ jobs }) => jobs)),
});

/** The bars of a period's days, in their order. Weeks end with the last day, so that the newest one is whole. */
export function barsOf(days: readonly UsageDay[]): Bar[] {
  const size = days.length > MOST_DAILY_BARS ? WEEK : 1;
  const bars: Bar[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const part = days.slice(Math.max(0, end - size), end);
    const [first] = part;
    const last = part.at(-1);
    if (first !== undefined && last !== undefined)
      bars.unshift({ first: first.date, last: last.date, ...totalOf(part) });
  }
  return bars;
}

/**
 * The marks of an axis for values from 0 to `most`: round whole numbers at equal distances, the last not below `most`.
 * At most six.
 */
export function marksFor(most: number): number[] {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
  const count = Math.ceil(Math.max(most, 1) / step);
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** Selects the bars with a date below the axis: as many as fit, always including the newest. */
export function labelledBars(count: number, width: number, labelWidth: number): Set<number> {
  const room = Math.max(1, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(count / room));
  const labelled = new Set<number>();
  for (let i = count - 1; i >= 0; i -= step) labelled.add(i);
  return labelled;
}

const DAY_MS = 86_400_000;

/** The periods that people may choose, in days. */
export const PERIODS = [7, 30, 90, 365] as const;
export type Days = (typeof PERIODS)[number];

/** A date of UTC: "2026-11-22". */
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-11-22".length);

/** The first and the last of a number of UTC days that end with the day of `now` (epoch ms). */
export const periodOf = (days: number, now: number): { readonly from: string; readonly to: string } => ({
  from: dateOf(now - (days - 1) * DAY_MS),
  to: dateOf(now),
});
