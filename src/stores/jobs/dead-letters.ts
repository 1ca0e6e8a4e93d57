import type { DeadLetter } from "../../contract/operator.ts";

/** The most that are kept; the oldest go first. */
const MOST_LETTERS = 1_000;
/** No id of ours is longer; a message of somebody else's may be. */
const MOST_CHARACTERS = 128;

/** Forgets the letters of jobs that are gone: nobody could send them again. */
export const forgetLetters = (db: D1Database, jobIds: readonly string[]): D1PreparedStatement =>
  db
    .prepare("DELETE FROM dead_letters WHERE job_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(jobIds));

/** Messages that no consumer could handle, in D1: their ids alone. */
export class DeadLetters {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Keeps a letter, unless it is of a job of an account that is erased: the job's row may be gone, the books name it. */
  async keep({ at, jobId, taskId }: Omit<DeadLetter, "id">): Promise<void> {
    await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO dead_letters (at, job_id, task_id) SELECT ?1, substr(?2, 1, ?4), substr(?3, 1, ?4)
           WHERE NOT EXISTS (SELECT 1 FROM ledger AS l JOIN accounts AS a ON a.id = l.account_id
                             WHERE l.job_id = ?2 AND l.kind = 'reserve' AND a.erasing_at IS NOT NULL)`,
        )
        .bind(at, jobId, taskId, MOST_CHARACTERS),
      this.#db
        .prepare(
          `DELETE FROM dead_letters WHERE id <= (SELECT id FROM dead_letters ORDER BY id DESC LIMIT 1 OFFSET ?1)`,
        )
        .bind(MOST_LETTERS),
    ]);
  }

  /** All of them, newest first. */
  async list(): Promise<DeadLetter[]> {
    const { results } = await this.#db
      .prepare("SELECT id, at, job_id AS jobId, task_id AS taskId FROM dead_letters ORDER BY id DESC")
      .all<DeadLetter>();
    return results;
  }

  async delete(id: number): Promise<void> {
    await this.#db.prepare("DELETE FROM dead_letters WHERE id = ?1").bind(id).run();
  }

  /** Deletes those that came before `before` (epoch ms). */
  async purge(before: number): Promise<void> {
    await this.#db.prepare("DELETE FROM dead_letters WHERE at < ?1").bind(before).run();
  }
}
