const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How many milliseconds each unit begins with, the largest first. After a week a date says more than a number of days. */
const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

/** How far a time (ISO 8601) is from `now` (epoch ms), in words: "3 minutes ago", "in 2 hours"; beyond a week its date. */
export function relativeTime(iso: string, now: number): string {
  const away = Date.parse(iso) - now;
  if (Math.abs(away) >= 7 * DAY) return dates.format(Date.parse(iso));
  for (const [unit, ms] of UNITS) if (Math.abs(away) >= ms) return words.format(Math.trunc(away / ms), unit);
  // The service's clock and this machine's may differ a little.
  return away > 2 * SECOND ? "in a moment" : "just now";
}

/** A time (ISO 8601) in full, with the day, the second and the reader's time zone. */
export const fullTime = (iso: string): string => moments.format(Date.parse(iso));

/** A day: "22 Nov 2026". */
export const dateText = (iso: string): string => dates.format(Date.parse(iso));
