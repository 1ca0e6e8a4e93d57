import type { DecoderRequest, ModelDescription, TaskRequest, WaitingTask } from "@segmentation/protocol";
import { fittest, unionOf } from "../rules/serves.ts";
import { DEFAULT_DELAY_MS } from "./inference-client.ts";
import type { InferencePool, NoModel, Room, SubmitOutcome } from "./inference-pool.ts";
import type { PoolModels } from "./pool-models.ts";
import { type Away, type PoolState, PoolStates } from "./pool-states.ts";

/** The end of an offer: the pool that answered it; `hasOthers` is true if another pool could still be offered the task. */
export type Offered = SubmitOutcome & { readonly pool: string | null; readonly hasOthers: boolean };

type Busy = Extract<SubmitOutcome, { outcome: "busy" }>;

/** One reason for several pools, each with its pool's name. */
const joined = (reasons: ReadonlyMap<string, { readonly reason: string }>): string =>
  [...reasons].map(([name, { reason }]) => `${name}: ${reason}`).join("; ");

/** The answer that has the task offered again sooner. */
const soonest = (a: Busy | null, b: Busy): Busy =>
  a === null ? b : { ...b, delayMs: Math.min(a.delayMs, b.delayMs), expected: a.expected && b.expected };

/**
 * The pools in the configured order. A task goes to the first that is there, has room, and has a model for it. A single pool gets
 * every task.
 */
export class InferencePools {
  readonly pools: readonly InferencePool[];
  /** The only pool; null if there are several. */
  readonly #only: InferencePool | null;
  readonly #states: PoolStates;

  constructor(pools: readonly InferencePool[], kept: PoolModels) {
    const [first = null] = pools;
    this.pools = pools;
    this.#only = pools.length === 1 ? first : null;
    this.#states = new PoolStates(pools.length, kept);
  }

  /**
   * Offers a task of an upload to one pool after the other until one takes it. It ends with a pool that has perhaps taken it: only
   * a new lease may go to another one.
   * @param passed the pools that an earlier lease of the task was offered to
   */
  async submit(request: TaskRequest, uploadId: string, passed: ReadonlySet<string>): Promise<Offered> {
    const only = this.#only;
    if (only !== null)
      return { ...(await only.submit(request, uploadId)), pool: only.name, hasOthers: false };
    const fitting = fittest(await this.#all(), request);
    const away = fitting.flatMap((state) =>
      state.away === null ? [] : [[state.pool.name, state.away] as const],
    );
    const candidates = fitting.filter((state) => state.away === null && !passed.has(state.pool.name));
    const isComplete = away.length === 0 && passed.size === 0;
    const reasons = new Map<string, { readonly reason: string }>(away);
    let busy: Busy | null = null;
    for (const [i, { pool }] of candidates.entries()) {
      const outcome = await pool.submit(request, uploadId);
      const hasOthers = i < candidates.length - 1;
      const offered = { ...outcome, pool: pool.name, hasOthers };
      if (outcome.outcome === "accepted") return offered;
      if (outcome.outcome === "busy" && outcome.perhapsTaken) {
        this.#states.leaveOut(pool, outcome);
        return offered;
      }
      // Only a task that all pools refuse has failed: a busy one, or one that is away, may take it later.
      if (outcome.outcome === "refused" && busy === null && !hasOthers && isComplete) return offered;
      reasons.set(pool.name, outcome);
      if (outcome.outcome === "busy") busy = soonest(busy, outcome);
    }
    return {
      ...(busy ?? { outcome: "busy", delayMs: DEFAULT_DELAY_MS, expected: false, perhapsTaken: false }),
      reason: joined(reasons),
      pool: null,
      hasOthers: false,
    };
  }

  /**
   * Returns which of these tasks would find room in any pool, in this order; null if one of them does not say. The next pool is only
   * asked about tasks that have no room in those before it.
   * @param uploadId the first task's
   */
  async room(tasks: readonly WaitingTask[], uploadId: string): Promise<Room | null> {
    if (this.#only !== null) return await this.#only.room(tasks, uploadId);
    let left = tasks.map((task, i) => ({ task, i }));
    const away = new Map<string, Away>();
    for (const pool of this.pools) {
      if (left.length === 0) break;
      const leftOut = this.#states.away(pool);
      const waiting = left.map(({ task }) => task);
      const answer = leftOut === null ? await pool.room(waiting, uploadId) : { room: [], away: leftOut };
      if (answer === null) return null;
      if (answer.away !== null) away.set(pool.name, answer.away);
      if (answer.away?.expected === false && leftOut === null) this.#states.leaveOut(pool, answer.away);
      left = left.filter((_, place) => answer.room[place] !== true);
    }
    const without = new Set(left.map(({ i }) => i));
    const room = tasks.map((_, i) => !without.has(i));
    if (away.size < this.pools.length) return { room, away: null };
    const expected = [...away.values()].every((each) => each.expected);
    return { room, away: { reason: joined(away), expected } };
  }

  /** Describes the models of all pools as one, also of those that are away, unless all are. */
  async describeModel(): Promise<ModelDescription | NoModel> {
    if (this.#only !== null) return await this.#only.describeModel();
    const states = await this.#all();
    const away = states.flatMap((state) =>
      state.away === null ? [] : [[state.pool.name, state.away] as const],
    );
    const [first, ...others] = states.flatMap(({ model }) => model ?? []);
    if (first !== undefined && away.length < states.length) return unionOf([first, ...others]);
    const mismatched = away.find(([, { otherProtocol }]) => otherProtocol !== undefined)?.[1];
    return { ...mismatched, reason: joined(new Map(away)) };
  }

  /** Makes a pool with this decoder put it into the bucket. */
  async putDecoder(request: DecoderRequest): Promise<void> {
    if (this.#only !== null) return this.#only.putDecoder(request);
    const states = await this.#all();
    const able = states.find(({ model, away }) => away === null && model?.decoder?.sha256 === request.sha256);
    await able?.pool.putDecoder(request);
  }

  /** Makes the pool that has a task drop it; all pools if it is not known which one that is. */
  async cancel(key: string, uploadId: string, pool: string | null): Promise<void> {
    const named = this.pools.filter(({ name }) => name === pool);
    const asked = named.length > 0 ? named : this.pools;
    await Promise.all(asked.map((each) => each.cancel(key, uploadId)));
  }

  #all(): Promise<PoolState[]> {
    return Promise.all(this.pools.map((pool) => this.#states.of(pool)));
  }
}
