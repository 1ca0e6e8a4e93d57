import type { Lane } from "@segmentation/protocol";
import { D1Store, present } from "./d1-store.ts";

/** What is open in a lane. */
export interface LaneGauges {
  readonly openJobs: number;
  /** All tasks of open jobs: ended ones count until their job ends. */
  readonly openTasks: number;
  /** Jobs none of whose tasks the inference service has taken yet. */
  readonly waitingJobs: number;
  /** When the oldest of these was accepted (epoch ms); null if none waits. */
  readonly waitingSince: number | null;
}

export interface DatabaseGauges {
  /** The size of the database. */
  readonly bytes: number;
  /** Unfinished jobs whose row has not changed since the requested time. */
  readonly stuckJobs: number;
  readonly deadLetters: number;
  /** Deleted jobs that still have something left, although it should be gone. */
  readonly unpurgedJobs: number;
}

/** Uploads whose size should be known: neither was it signed, nor has an event told of it, nor has the inspection come. */
export interface UploadGauges {
  readonly unsized: number;
  /** When the first of these was to be inspected (epoch ms); null if there is none. */
  readonly dueSince: number | null;
}

/** A reading covers at most this many open jobs, those whose row has not changed for longest. */
const MOST_JOBS = 50_000;
/** So many uploads, those that are due for longest. */
const MOST_UPLOADS = 50_000;

/** How full things are, in D1. */
export class Gauges extends D1Store {
  lane(lane: Lane): Promise<LaneGauges> {
    return this.one(
      `SELECT count(*) AS openJobs, coalesce(sum(total_items), 0) AS openTasks,
         count(*) FILTER (WHERE status = 'queued') AS waitingJobs,
         min(created_at) FILTER (WHERE status = 'queued') AS waitingSince
       FROM (SELECT lane, status, total_items, created_at FROM jobs
             WHERE status IN ('queued', 'processing') AND updated_at > 0 ORDER BY updated_at, id LIMIT ?2)
       WHERE lane = ?1`,
      [lane, MOST_JOBS],
    );
  }

  /** @param now epoch ms */
  uploads(now: number): Promise<UploadGauges> {
    return this.one(
      `SELECT count(*) AS unsized, min(inspect_at) AS dueSince
       FROM (SELECT inspect_at FROM uploads WHERE inspect_at <= ?1 ORDER BY inspect_at LIMIT ?2)`,
      [now, MOST_UPLOADS],
    );
  }

  /** How long a read of one row takes, with what it waits for: milliseconds. A database runs one statement at a time. */
  async readMs(): Promise<number> {
    const begun = Date.now();
    await this.all("SELECT id FROM accounts LIMIT 1");
    return Date.now() - begun;
  }

  /** @param unchangedSince @param purgedBy epoch ms: jobs that were deleted before should be gone */
  async database(unchangedSince: number, purgedBy: number): Promise<DatabaseGauges> {
    const { results, meta } = await this.statement(
      `SELECT (SELECT count(*) FROM jobs WHERE status IN ('queued', 'processing') AND updated_at < ?1) AS stuckJobs,
         (SELECT count(*) FROM dead_letters WHERE id > 0) AS deadLetters,
         (SELECT count(*) FROM deleted_jobs WHERE deleted_at < ?2) AS unpurgedJobs`,
      [unchangedSince, purgedBy],
    ).all<Omit<DatabaseGauges, "bytes">>();
    return { ...present(results[0]), bytes: meta.size_after };
  }
}
