/** Base of the models of all families: description, features of pictures, closing. */
import type { Held } from "../device/held.ts";
import type { GraphSet } from "./graph.ts";
import type { LoadedModel, LoadOptions, NamedSignature } from "./loaded-model.ts";
import type { Manifest } from "./manifest.ts";
import type { Picture, Segmentation, SegmentRequest } from "./model.ts";
import { heldMemory, type Remembered } from "./memory/remembered.ts";

export abstract class FamilyModel implements LoadedModel {
  readonly id: string;
  readonly version: string;
  readonly family: string;
  readonly provider: string;
  /** Graphs take turns on the device. */
  readonly concurrency = 1;
  /** By a picture's content hash. */
  protected readonly features: Remembered<Held>;
  readonly #graphs: GraphSet;

  constructor(
    { id, version, family }: Manifest,
    graphs: GraphSet,
    { provider, featureCacheBytes }: LoadOptions,
  ) {
    this.id = id;
    this.version = version;
    this.family = family;
    this.provider = provider;
    this.features = heldMemory(featureCacheBytes);
    this.#graphs = graphs;
  }

  get signatures(): readonly NamedSignature[] {
    return this.#graphs.signatures;
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
