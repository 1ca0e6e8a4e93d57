/** A whole number with separators: 12,345. */
export const count = (number: number): string => number.toLocaleString("en-US");

/** A number with its noun: 1 picture, 2 pictures. */
export const counted = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A readable duration, given seconds: 45 s, 3 min 4 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${count(Math.floor(whole / 3_600))} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** A readable rate, given items per second: 3.2/s, 14/min. */
export function rate(perSecond: number): string {
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${Math.round(perSecond * 60)}/min`;
}
