/** What the models of all families share: their description, the features of pictures, and how they close. */
import type { Held } from "../device/held.ts";
import type { GraphSet } from "./graph-set.ts";
import type { LoadOptions } from "./load-options.ts";
import type { Manifest } from "./manifest.ts";
import type { Model, Picture, Segmentation, SegmentRequest } from "./model.ts";
import { heldMemory, type Remembered } from "./remembered.ts";

export abstract class FamilyModel implements Model {
  readonly id: string;
  readonly version: string;
  readonly provider: string;
  readonly maxBatch: number;
  /** By a picture's content hash. */
  protected readonly features: Remembered<Held>;
  readonly #graphs: GraphSet;

  /** @param maxBatch see `Model` */
  constructor(
    { id, version }: Manifest,
    graphs: GraphSet,
    maxBatch: number,
    { provider, featureCacheBytes }: LoadOptions,
  ) {
    this.id = id;
    this.version = version;
    this.provider = provider;
    this.maxBatch = maxBatch;
    this.features = heldMemory(featureCacheBytes);
    this.#graphs = graphs;
  }

  /** Whether runs for several pictures or prompts may be joined. */
  get joinsRuns(): boolean {
    return this.#graphs.joinsRuns;
  }

  abstract segment(picture: Picture, request: SegmentRequest): Promise<Segmentation>;

  /** Drops the remembered results for pictures and prompts. */
  forget(): void {
    this.features.clear();
  }

  async close(): Promise<void> {
    this.forget();
    await this.#graphs.close();
  }
}
