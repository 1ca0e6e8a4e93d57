const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

/** Formats a time (ISO 8601) relative to `now` (epoch ms): "3 minutes ago", "in 2 hours"; beyond a week its date. Times are rounded. */
export function relativeTime(iso: string, now: number): string {
  const away = Date.parse(iso) - now;
  // A week is not called six days one second later.
  const minutes = Math.round(Math.abs(away) / MINUTE);
  const days = Math.round(minutes / (DAY / MINUTE));
  if (days > 7 || (days === 7 && away < 0)) return dates.format(Date.parse(iso));
  const hours = Math.round(minutes / 60);
  if (hours >= 24) return words.format(Math.sign(away) * days, "day");
  if (minutes >= 60) return words.format(Math.sign(away) * hours, "hour");
  if (Math.abs(away) >= MINUTE) return words.format(Math.sign(away) * minutes, "minute");
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

/** The share of a job's work from which on the rest can be guessed. */
const LEAST_SHARE = 0.1;

/** Time that a job still takes, after a comma; nothing while it can't be guessed. */
export function timeLeft(share: number, elapsedMs: number): string {
  if (share < LEAST_SHARE || share >= 1) return "";
  const left = (elapsedMs * (1 - share)) / share;
  return left < MINUTE
    ? ", less than a minute left"
    : `, about ${counted(Math.round(left / MINUTE), "minute")} left`;
}
