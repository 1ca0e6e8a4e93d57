import { MOST_USAGE_DAYS, type UsageDay, type UsageQuery } from "../contract/usage.ts";
import { ServiceError } from "../../shared/errors.ts";

const DAY_MS = 86_400_000;

/** An account's usage on the last day on which one of its jobs was accepted. */
export interface DailyUse {
  /** Epoch days, UTC; 0 before the first job. */
  readonly day: number;
  /** Units that paid jobs reserved and did not release. */
  readonly units: number;
  /** Tasks of all jobs, whether they succeeded or failed. */
  readonly tasks: number;
  /** Files that the tasks may write, or wrote once their jobs have ended. */
  readonly files: number;
}

/** The day (epoch days, UTC) of a time (epoch ms). */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** Returns the usage of the day of `now`. A job requested before midnight and accepted after it counts on the new day. */
export const usedOnDay = ({ day, ...used }: DailyUse, now: number): Omit<DailyUse, "day"> =>
  day >= dayOf(now) ? used : { units: 0, tasks: 0, files: 0 };

/** Whole seconds until the next day begins, 00:00 UTC. */
export const secondsToNextDay = (now: number): number => Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);

/** Number of days before the current one for which an account's usage is kept. */
export const USAGE_KEPT_DAYS = 400;

/** Number of days that a request without `from` covers. */
const USUAL_DAYS = 30;

/** The days of an account's usage from the first to the last: epoch days, UTC. */
export interface UsagePeriod {
  readonly from: number;
  readonly to: number;
}

/** The stored usage of a day (epoch days, UTC). */
export interface UsedDay {
  readonly day: number;
  readonly units: number;
  readonly jobs: number;
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, "2026-11-22".length);
const parse = (date: string): number => dayOf(Date.parse(date));

/**
 * The period that a request at `now` (epoch ms) asks for.
 * @throws ServiceError invalid_period if it ends before it begins, is too long or begins before the kept days.
 */
export function usagePeriod({ from, to }: UsageQuery, now: number): UsagePeriod {
  const last = to === undefined ? dayOf(now) : parse(to);
  const first = from === undefined ? last - USUAL_DAYS + 1 : parse(from);
  const kept = dayOf(now) - USAGE_KEPT_DAYS;
  const complaint =
    first > last
      ? "from is after to. Send a period that begins before it ends."
      : last - first >= MOST_USAGE_DAYS
        ? `The period has more than ${MOST_USAGE_DAYS} days. Ask for a shorter one.`
        : first < kept
          ? `Usage is kept for ${USAGE_KEPT_DAYS} days. Send a from of ${dateOf(kept)} or later.`
          : null;
  if (complaint !== null) throw new ServiceError("invalid_period", complaint);
  return { from: first, to: last };
}

/** Every day of a period with its usage. Days without usage have no stored row. */
export function usageOf({ from, to }: UsagePeriod, used: readonly UsedDay[]): UsageDay[] {
  const byDay = new Map(used.map((each) => [each.day, each]));
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const { units, jobs } = byDay.get(from + i) ?? { units: 0, jobs: 0 };
    return { date: dateOf(from + i), units, jobs };
  });
}
