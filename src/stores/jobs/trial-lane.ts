import type { LanePace } from "../../core/jobs/admission.ts";
import { D1Store } from "../d1-store.ts";

const OPEN = "lane = 'trial' AND status IN ('queued', 'processing')";

/** The unfinished tasks of trial jobs, wherever they wait. The index jobs_trial_open holds no other jobs. */
export const OPEN_TRIAL_TASKS = `(SELECT coalesce(sum(total_items), 0) FROM jobs WHERE ${OPEN})`;

/** The trial lane, as the list of jobs has it. */
export class TrialLane extends D1Store {
  /** How many tasks of trial jobs are unfinished. */
  async openTasks(): Promise<number> {
    return (await this.one<{ tasks: number }>(`SELECT ${OPEN_TRIAL_TASKS} AS tasks`)).tasks;
  }

  /** How fast the lane's tasks ended since `since`, or since its oldest open job was accepted if that is later (epoch ms). */
  async pace(since: number, now: number): Promise<LanePace> {
    const busy = await this.one<{ since: number; ended: number }>(
      `SELECT busy.since, (SELECT coalesce(sum(total_items), 0) FROM jobs
         WHERE lane = 'trial' AND status IN ('success', 'failed') AND updated_at >= busy.since) AS ended
       FROM (SELECT max(?1, coalesce(min(created_at), ?1)) AS since FROM jobs WHERE ${OPEN}) AS busy`,
      [since],
    );
    return { endedTasks: busy.ended, busyMs: now - busy.since };
  }
}
