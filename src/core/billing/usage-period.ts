import { MOST_USAGE_DAYS, type UsageDay, type UsageQuery } from "../../contract/usage.ts";
import { dayOf } from "./daily-use.ts";
import { ServiceError } from "../errors.ts";

/** For how many days before the one that it is an account's usage is kept. */
export const USAGE_KEPT_DAYS = 400;

/** How many days a request without `from` gets. */
const USUAL_DAYS = 30;

/** The days of an account's usage from the first to the last: epoch days, UTC. */
export interface UsagePeriod {
  readonly from: number;
  readonly to: number;
}

/** What is kept of a day (epoch days, UTC). */
export interface UsedDay {
  readonly day: number;
  readonly units: number;
  readonly jobs: number;
}

const DAY_MS = 86_400_000;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, "2026-11-22".length);
const parse = (date: string): number => dayOf(Date.parse(date));

/**
 * The period that a request at `now` (epoch ms) asks for.
 * @throws ServiceError invalid_period if it ends before it begins, is too long or begins before what is kept.
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

/** Every day of a period with what was used of it, of which nothing is kept where nothing was used. */
export function usageOf({ from, to }: UsagePeriod, used: readonly UsedDay[]): UsageDay[] {
  const byDay = new Map(used.map((each) => [each.day, each]));
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const { units, jobs } = byDay.get(from + i) ?? { units: 0, jobs: 0 };
    return { date: dateOf(from + i), units, jobs };
  });
}
