import { ModelDescription } from "@segmentation/protocol";
import { D1Store } from "../../shared/storage/d1-store.ts";

/** The last known model of each pool, in the first database: the capabilities of a pool that is away. */
export class PoolModels extends D1Store {
  /** Returns the last kept model of a pool; null if there is none that this version can read. */
  async recall(pool: string): Promise<ModelDescription | null> {
    const kept = await this.first<{ model: string }>("SELECT model FROM pool_models WHERE pool = ?1", [pool]);
    return kept === null ? null : (ModelDescription.safeParse(JSON.parse(kept.model)).data ?? null);
  }

  /** Keeps the model of a pool. Writes a row only if the model differs from the kept one. */
  async keep(pool: string, model: ModelDescription): Promise<void> {
    await this.run(
      `INSERT INTO pool_models (pool, model) VALUES (?1, ?2)
       ON CONFLICT (pool) DO UPDATE SET model = excluded.model WHERE model <> excluded.model`,
      [pool, JSON.stringify(model)],
    );
  }
}
