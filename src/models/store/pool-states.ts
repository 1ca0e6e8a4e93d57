import type { ModelDescription } from "@segmentation/protocol";
import { log, reasonOf } from "../../shared/log.ts";
import { RecentMap } from "../../shared/recent-map.ts";
import type { InferencePool, NoModel, Room } from "./inference-pool.ts";
import type { PoolModels } from "./pool-models.ts";

export type Away = NonNullable<Room["away"]> & NoModel;

/** A pool at the moment of an offer. */
export interface PoolState {
  readonly pool: InferencePool;
  /** Its last known model; null if it has never described one. */
  readonly model: ModelDescription | null;
  /** The reason why it is left out; null if it is there. */
  readonly away: Away | null;
}

const MODEL_KEPT_MS = 60_000;
/** A pool that gives no answer costs ten seconds of each offer: meanwhile tasks go to the others. */
const AWAY_MS = 10_000;

/** Models and outages of several pools, as far as this isolate knows them. */
export class PoolStates {
  readonly #kept: PoolModels;
  readonly #fresh: RecentMap<ModelDescription>;
  readonly #away: RecentMap<Away>;
  readonly #lastModels = new Map<string, ModelDescription>();

  /** @param kept the models that all isolates share */
  constructor(pools: number, kept: PoolModels) {
    this.#kept = kept;
    this.#fresh = new RecentMap(pools, MODEL_KEPT_MS);
    this.#away = new RecentMap(pools, AWAY_MS);
  }

  /** Returns the state of a pool. Asks it for its model at most once a minute, and not while it is left out. */
  async of(pool: InferencePool): Promise<PoolState> {
    const now = Date.now();
    const away = this.away(pool);
    if (away !== null) return { pool, model: await this.#lastModel(pool), away };
    const fresh = this.#fresh.get(pool.name, now);
    if (fresh !== undefined) return { pool, model: fresh, away: null };
    const model = await pool.describeModel();
    if ("reason" in model) {
      const left = { ...model, expected: false };
      this.leaveOut(pool, left);
      return { pool, model: await this.#lastModel(pool), away: left };
    }
    this.#fresh.put(pool.name, model, now);
    await this.#keep(pool, model);
    return { pool, model, away: null };
  }

  /** Returns the reason why a pool is left out; null if it is not. */
  away({ name }: InferencePool): Away | null {
    return this.#away.get(name, Date.now()) ?? null;
  }

  /** Leaves out a pool for a while. */
  leaveOut({ name }: InferencePool, away: Away): void {
    log("warn", "pool_away", { pool: name, reason: away.reason });
    this.#away.put(name, away, Date.now());
  }

  async #keep({ name }: InferencePool, model: ModelDescription): Promise<void> {
    this.#lastModels.set(name, model);
    try {
      await this.#kept.keep(name, model);
    } catch (error) {
      log("warn", "pool_model_unkept", { pool: name, reason: reasonOf(error) });
    }
  }

  async #lastModel({ name }: InferencePool): Promise<ModelDescription | null> {
    const known = this.#lastModels.get(name);
    if (known !== undefined) return known;
    try {
      const kept = await this.#kept.recall(name);
      if (kept !== null) this.#lastModels.set(name, kept);
      return kept;
    } catch (error) {
      log("warn", "pool_model_unkept", { pool: name, reason: reasonOf(error) });
      return null;
    }
  }
}
