import type { DeadLetter } from "../contract/operator.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

/** Maximum number kept; the oldest go first. */
const MOST_LETTERS = 1_000;
/** None of our ids is longer; another sender's message may be. */
const MOST_CHARACTERS = 128;

/** Messages that no consumer could handle, in D1: only their ids. */
export class DeadLetters extends D1Store {
  /** Keeps a letter, unless its job's account is being erased: the job's row may be gone, so the ledger names the account. */
  async keep({ at, jobId, taskId }: Omit<DeadLetter, "id">): Promise<void> {
    await this.db.batch([
      this.statement(
        `INSERT INTO dead_letters (at, job_id, task_id) SELECT ?1, substr(?2, 1, ?4), substr(?3, 1, ?4)
         WHERE NOT EXISTS (SELECT 1 FROM ledger AS l JOIN accounts AS a ON a.id = l.account_id
                           WHERE l.job_id = ?2 AND l.kind = 'reserve' AND a.erasing_at IS NOT NULL)`,
        [at, jobId, taskId, MOST_CHARACTERS],
      ),
      this.statement(
        `DELETE FROM dead_letters WHERE id <= (SELECT id FROM dead_letters ORDER BY id DESC LIMIT 1 OFFSET ?1)`,
        [MOST_LETTERS],
      ),
    ]);
  }

  /** Up to `limit` of them, newest first. */
  newest(limit: number): Promise<DeadLetter[]> {
    return this.all(
      "SELECT id, at, job_id AS jobId, task_id AS taskId FROM dead_letters ORDER BY id DESC LIMIT ?1",
      [limit],
    );
  }

  async delete(id: number): Promise<void> {
    await this.run("DELETE FROM dead_letters WHERE id = ?1", [id]);
  }

  /** Deletes those that arrived before `before` (epoch ms). */
  async purge(before: number): Promise<void> {
    await this.run("DELETE FROM dead_letters WHERE at < ?1", [before]);
  }
}
