import type { LanePace } from "../../core/jobs/admission.ts";

const OPEN = "lane = 'trial' AND status IN ('queued', 'processing')";

/** The tasks of trial jobs that have not ended, wherever they wait. The index jobs_trial_open holds no other jobs. */
export const OPEN_TRIAL_TASKS = `(SELECT coalesce(sum(total_items), 0) FROM jobs WHERE ${OPEN})`;

/** The trial lane, as the list of jobs has it. */
export class TrialLane {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** How many tasks of trial jobs have not ended. */
  async openTasks(): Promise<number> {
    const row = await this.#db.prepare(`SELECT ${OPEN_TRIAL_TASKS} AS tasks`).first<{ tasks: number }>();
    if (row === null) throw new Error("a count gave no row");
    return row.tasks;
  }

  /** How fast the lane's tasks ended since `since`, or since its oldest open job was accepted if that is later (epoch ms). */
  async pace(since: number, now: number): Promise<LanePace> {
    const row = await this.#db
      .prepare(
        `SELECT busy.since, (SELECT coalesce(sum(total_items), 0) FROM jobs
           WHERE lane = 'trial' AND status IN ('success', 'failed') AND updated_at >= busy.since) AS ended
         FROM (SELECT max(?1, coalesce(min(created_at), ?1)) AS since FROM jobs WHERE ${OPEN}) AS busy`,
      )
      .bind(since)
      .first<{ since: number; ended: number }>();
    if (row === null) throw new Error("a count gave no row");
    return { endedTasks: row.ended, busyMs: now - row.since };
  }
}
