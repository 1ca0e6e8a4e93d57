/** A picture whose features stay on the device after the first mask, so that SAM 2 can draw more masks in it. */
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import { type Cleaning, cleanRegion, type LogitGrid, type Region } from "@segmentation/masks";
import { copiedFloats } from "../graph.ts";
import type {
  CellAppearance,
  DrawnRegion,
  Followable,
  KnownCells,
  OpenPicture,
  Picture,
  PictureAppearance,
} from "../model.ts";
import type { Remembered } from "../memory/remembered.ts";
import { Embedding, appearanceOf } from "./appearance.ts";
import type { Recall } from "./recall.ts";
import type { Segmenter } from "./segmenter.ts";

/** The features' role that has the appearances. */
const EMBEDDING = "embedding";

/** The decoder, the cleaning of the masks, and the memory of the pictures' features. */
export interface Drawing {
  readonly segmenter: Segmenter;
  readonly recall: Pick<Recall, "votes">;
  readonly cleaning: Cleaning;
  readonly features: Remembered<Held>;
}

export class Sam2Picture implements OpenPicture, Followable {
  readonly #drawing: Drawing;
  readonly #picture: Picture;
  readonly #usage: Usage;
  readonly #withAppearance: boolean;
  #features: Held | undefined;
  #embedding: Embedding | undefined;
  #cellAppearance: Promise<PictureAppearance> | undefined;
  #computed = false;

  /** @param withAppearance also computes appearances */
  constructor(drawing: Drawing, picture: Picture, usage: Usage, withAppearance: boolean) {
    this.#drawing = drawing;
    this.#picture = picture;
    this.#usage = usage;
    this.#withAppearance = withAppearance;
  }

  /** True if the picture's features had to be computed; false before the first mask. */
  get computedFeatures(): boolean {
    return this.#computed;
  }

  /** @throws as the device, and Error if the request needs appearances and the encoder has no embedding of floats */
  async draw(regions: readonly Region[]): Promise<DrawnRegion[]> {
    if (regions.length === 0) return [];
    const { segmenter } = this.#drawing;
    const drawn = await segmenter.draw(
      await this.held(),
      regions,
      this.#picture,
      this.#usage,
      ({ mask, quality }, region) => ({ mask: this.cleaned(mask, region), quality }),
    );
    if (!this.#withAppearance) return drawn;
    return Promise.all(
      drawn.map(async ({ mask, quality }) => {
        return { mask, quality, appearance: await this.#appearance(mask) };
      }),
    );
  }

  /** A mask that SAM 2 did not draw, with its appearance if the picture has appearances. */
  async seen(mask: LogitGrid): Promise<Pick<DrawnRegion, "mask" | "appearance">> {
    return this.#withAppearance ? { mask, appearance: await this.#appearance(mask) } : { mask };
  }

  get following(): Followable {
    return this;
  }

  appearance(): Promise<PictureAppearance> {
    return (this.#cellAppearance ??= this.#lookAtAll());
  }

  async offers(regions: readonly Region[]): Promise<DrawnRegion[][]> {
    if (regions.length === 0) return [];
    return this.#drawing.segmenter.offers(await this.held(), regions, this.#picture, this.#usage);
  }

  cleaned(mask: LogitGrid, region: Partial<Region> = {}): LogitGrid {
    return cleanRegion(mask, region, this.#picture, this.#drawing.cleaning);
  }

  votes(cells: CellAppearance, known: KnownCells): Promise<Float32Array> {
    return this.#drawing.recall.votes(cells, known, this.#usage);
  }

  /** The features; the picture releases them. */
  async held(): Promise<Held> {
    this.#features ??= await this.#encode();
    return this.#features;
  }

  [Symbol.dispose](): void {
    this.#features?.[Symbol.dispose]();
    this.#features = undefined;
    this.#embedding = undefined;
    this.#cellAppearance = undefined;
  }

  async #lookAtAll(): Promise<PictureAppearance> {
    const { values, dims } = copiedFloats(await this.held(), EMBEDDING);
    return appearanceOf(values, dims);
  }

  async #appearance(mask: LogitGrid): Promise<Float32Array> {
    if (this.#embedding === undefined) {
      const { values, dims } = copiedFloats(await this.held(), EMBEDDING);
      this.#embedding = new Embedding(values, dims);
    }
    return this.#embedding.appearance(mask);
  }

  async #encode(): Promise<Held> {
    const { segmenter, features } = this.#drawing;
    const { contentHash } = this.#picture;
    const [key, copied] = this.#withAppearance
      ? [contentHash === null ? null : `${contentHash} with appearance`, [EMBEDDING]]
      : [contentHash, []];
    const { value, cached } = await features.get(key, this.#usage, () =>
      segmenter.encode(this.#picture, this.#usage, copied),
    );
    this.#computed = !cached;
    return value;
  }
}
