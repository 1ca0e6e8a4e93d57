const DAY_MS = 86_400_000;

/** The periods that people may choose, in days. */
export const PERIODS = [7, 30, 90, 365] as const;
export type Days = (typeof PERIODS)[number];

/** A date of UTC: "2026-11-22". */
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-11-22".length);

/** The first and the last of so many days of UTC that end with the one of `now` (epoch ms). */
export const periodOf = (days: number, now: number): { readonly from: string; readonly to: string } => ({
  from: dateOf(now - (days - 1) * DAY_MS),
  to: dateOf(now),
});
