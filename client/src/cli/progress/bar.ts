import { count, duration, rate } from "./words.ts";

/** How far a run is. */
export interface Standing {
  readonly done: number;
  readonly total: number;
  /** How many files have been uploaded; told until there is something to tell of the jobs. */
  readonly sent: number;
  /** Since it began. */
  readonly seconds: number;
  /** What it waits for, if it does. */
  readonly waitsFor: string | undefined;
}

const BAR = 24;

/** The line of a progress: a bar, how many, the rate, the time left. No longer than `columns`. */
export function barLine({ done, total, sent, seconds, waitsFor }: Standing, columns: number): string {
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * BAR);
  const perSecond = done / seconds;
  const left =
    done > 0 && seconds > 1 ? `${rate(perSecond)}  ${duration((total - done) / perSecond)} left` : "";
  const pace = waitsFor ?? (left === "" && sent > 0 ? `${count(sent)} uploaded` : left);
  const line = `${"█".repeat(full)}${"░".repeat(BAR - full)} ${count(Math.floor(done))}/${count(total)}  ${pace}`;
  return line.slice(0, Math.max(0, columns - 1)).trimEnd();
}
