const DAY_MS = 86_400_000;

/** What an account used on the last day on which a job of it was accepted. */
export interface DailyUse {
  /** Epoch days, UTC; 0 before the first job. */
  readonly day: number;
  /** Units that paid jobs reserved and did not give back. */
  readonly units: number;
  /** Tasks of all jobs, whatever became of them. */
  readonly tasks: number;
}

/** The day (epoch days, UTC) of a moment (epoch ms). */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** What is used of the day of `now`. A job that was asked for before midnight counts on the new day once that has begun. */
export const usedOnDay = ({ day, units, tasks }: DailyUse, now: number): { units: number; tasks: number } =>
  day >= dayOf(now) ? { units, tasks } : { units: 0, tasks: 0 };

/** Whole seconds until the next day begins, 00:00 UTC. */
export const secondsToNextDay = (now: number): number => Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);
