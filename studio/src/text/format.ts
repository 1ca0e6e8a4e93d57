const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lower limit of each unit in milliseconds, the largest first. After a week a date says more than a number of days. */
const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

/** Formats a time (ISO 8601) relative to `now` (epoch ms): "3 minutes ago", "in 2 hours"; beyond a week its date. */
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

const numbers = new Intl.NumberFormat("en");

/** A number with its separators: 12,345. */
export const numberText = (value: number): string => numbers.format(value);

/** A number with its noun: "1 picture", "1,204 pictures". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** A number of bytes as people read it, in decimal units: "1.5 MB". */
export function bytesIn(bytes: number): string {
  const power = bytes >= 1e9 ? 3 : bytes >= 1e6 ? 2 : 1;
  const value = bytes / 1_000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["kB", "MB", "GB"][power - 1]}`;
}
