import type { Lane } from "@segmentation/protocol";

/** What is open in a lane. */
export interface LaneGauges {
  readonly openJobs: number;
  /** All tasks of open jobs: those that have ended count until their job does. */
  readonly openTasks: number;
  /** Jobs of which the inference service has taken no task so far. */
  readonly waitingJobs: number;
  /** When the oldest of these was accepted (epoch ms); null if none waits. */
  readonly waitingSince: number | null;
}

export interface DatabaseGauges {
  /** The size of the database. */
  readonly bytes: number;
  /** Jobs under way whose row has not changed since the time that was asked for. */
  readonly stuckJobs: number;
  readonly deadLetters: number;
  /** Deleted jobs of which something is left although it should be gone. */
  readonly unpurgedJobs: number;
}

/** A look reads no more than so many open jobs, those whose row has not changed for longest. */
const MOST_JOBS = 50_000;

/** How full things are, in D1. */
export class Gauges {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  async lane(lane: Lane): Promise<LaneGauges> {
    const row = await this.#db
      .prepare(
        `SELECT count(*) AS openJobs, coalesce(sum(total_items), 0) AS openTasks,
           count(*) FILTER (WHERE status = 'queued') AS waitingJobs,
           min(created_at) FILTER (WHERE status = 'queued') AS waitingSince
         FROM (SELECT lane, status, total_items, created_at FROM jobs
               WHERE status IN ('queued', 'processing') AND updated_at > 0 ORDER BY updated_at, id LIMIT ?2)
         WHERE lane = ?1`,
      )
      .bind(lane, MOST_JOBS)
      .first<LaneGauges>();
    if (row === null) throw new Error("a count gave no row");
    return row;
  }

  /** @param unchangedSince @param purgedBy epoch ms: jobs that were deleted before should be gone */
  async database(unchangedSince: number, purgedBy: number): Promise<DatabaseGauges> {
    const { results, meta } = await this.#db
      .prepare(
        `SELECT (SELECT count(*) FROM jobs WHERE status IN ('queued', 'processing') AND updated_at < ?1) AS stuckJobs,
           (SELECT count(*) FROM dead_letters WHERE id > 0) AS deadLetters,
           (SELECT count(*) FROM deleted_jobs WHERE deleted_at < ?2) AS unpurgedJobs`,
      )
      .bind(unchangedSince, purgedBy)
      .all<Omit<DatabaseGauges, "bytes">>();
    const [row] = results;
    if (row === undefined) throw new Error("a count gave no row");
    return { ...row, bytes: meta.size_after };
  }
}
