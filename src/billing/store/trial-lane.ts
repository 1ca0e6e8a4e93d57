import type { LanePace } from "../rules/trial.ts";
import { D1Store, ofAnother } from "../../shared/storage/d1-store.ts";

const OPEN = "lane = 'trial' AND status IN ('queued', 'processing')";

/** The unfinished tasks of trial jobs in any state. The index jobs_trial_open holds no other jobs. */
export const OPEN_TRIAL_TASKS = `(SELECT coalesce(sum(total_items), 0) FROM jobs WHERE ${OPEN})`;

/** Time for which another database's count of the lane is reused. */
const KNOWN_MS = 10_000;
/** The trial lane, from the lists of jobs: one lane across all databases. */
export class TrialLane extends D1Store {
  readonly #others: readonly TrialLane[];
  /** The last count of the other databases. */
  #known = { tasks: 0, until: 0 };

  /** @param others the lane in the other databases */
  constructor(db: D1Database, others: readonly D1Database[] = []) {
    super(db);
    this.#others = others.map((other) => new TrialLane(other));
  }

  /**
   * Returns the number of unfinished trial tasks in other databases, seconds ago. A database that does not answer counts as
   * before.
   */
  async openElsewhere(): Promise<number> {
    const counts = await Promise.all(this.#others.map((other) => other.#recentlyOpen(Date.now())));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #recentlyOpen(now: number): Promise<number> {
    if (now >= this.#known.until) {
      const tasks = await ofAnother(this.#openHere());
      this.#known = { tasks: tasks ?? this.#known.tasks, until: now + KNOWN_MS };
    }
    return this.#known.tasks;
  }

  async #openHere(): Promise<number> {
    return (await this.one<{ tasks: number }>(`SELECT ${OPEN_TRIAL_TASKS} AS tasks`)).tasks;
  }

  /** Returns the speed of the lane since `since`, or since its oldest open job was accepted if that is later (epoch ms). */
  async pace(since: number, now: number): Promise<LanePace> {
    const oldest = await Promise.all([
      this.#oldestOpen(),
      ...this.#others.map((other) => ofAnother(other.#oldestOpen())),
    ]);
    const busySince = Math.max(since, Math.min(...oldest.map((at) => at ?? Infinity)));
    const from = busySince === Infinity ? since : busySince;
    const ended = await Promise.all([
      this.#endedSince(from),
      ...this.#others.map((other) => ofAnother(other.#endedSince(from))),
    ]);
    return { endedTasks: ended.reduce<number>((sum, tasks) => sum + (tasks ?? 0), 0), busyMs: now - from };
  }

  #oldestOpen(): Promise<number | null> {
    return this.statement(`SELECT min(created_at) AS at FROM jobs WHERE ${OPEN}`).first<number>("at");
  }

  async #endedSince(time: number): Promise<number> {
    const { tasks } = await this.one<{ tasks: number }>(
      `SELECT coalesce(sum(total_items), 0) AS tasks FROM jobs
       WHERE lane = 'trial' AND status IN ('success', 'failed') AND updated_at >= ?1`,
      [time],
    );
    return tasks;
  }
}
