/** Regions in pictures by a decoder in SAM 2's manner, for the families that have one. */
import { type Corners, gridBounds, type Region } from "@segmentation/masks";
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import { boxAround } from "../box.ts";
import type { Manifest, ManifestFile } from "../manifest.ts";
import type { Remembered } from "../memory/remembered.ts";
import type { Picture, PictureEmbedding, Segmentation } from "../model.ts";
import type { Embedder } from "./embedder.ts";
import type { SegmenterManifest } from "./manifest.ts";
import { type Drawing, Sam2Picture } from "./open-picture.ts";
import type { Recall } from "./recall.ts";
import { warmUpRuns } from "./regions.ts";
import type { Segmenter } from "./segmenter.ts";

/** The loaded graphs of a decoder. */
export interface DrawingParts {
  readonly segmenter: Segmenter;
  readonly recall: Recall;
  /** Undefined if the features can't leave the device. */
  readonly embedder: Embedder | undefined;
}

export class RegionDrawing {
  /** The decoder's file, if it can draw masks from an embedding. */
  readonly decoder: ManifestFile | undefined;
  readonly #drawing: Drawing;
  readonly #embedder: Embedder | undefined;
  readonly #batch: number;
  /** The parts of an embedding that all pictures have. */
  readonly #about: Pick<PictureEmbedding, "model" | "decoder">;

  /** @param features remembers those of pictures */
  constructor(
    { id, version, files, images, graphs, masks }: Manifest & SegmenterManifest,
    { segmenter, recall, embedder }: DrawingParts,
    features: Remembered<Held>,
  ) {
    if (embedder !== undefined) this.decoder = files.find(({ name }) => name === graphs.decoder.file);
    this.#drawing = { segmenter, recall, cleaning: masks, features };
    this.#embedder = embedder;
    this.#batch = masks.batch;
    const { width, height } = images.segmenter;
    const { islandShare, holeShare } = masks;
    this.#about = { model: { id, version }, decoder: { width, height, islandShare, holeShare } };
  }

  /** @param withAppearance also computes appearances */
  open(picture: Picture, usage: Usage, withAppearance: boolean): Sam2Picture {
    return new Sam2Picture(this.#drawing, picture, usage, withAppearance);
  }

  /** Segments an opened picture; the result has it if it is kept open. */
  async segment(
    picture: Picture,
    usage: Usage,
    keepOpen: boolean,
    segmented: (open: Sam2Picture) => Promise<Segmentation>,
  ): Promise<Segmentation> {
    const open = this.open(picture, usage, keepOpen);
    try {
      const found = await segmented(open);
      if (keepOpen) return { ...found, open };
      open[Symbol.dispose]();
      return found;
    } catch (error) {
      open[Symbol.dispose]();
      throw error;
    }
  }

  /** The picture's features; undefined if they can't leave the device. */
  async embedding(open: Sam2Picture, usage: Usage): Promise<PictureEmbedding | undefined> {
    if (this.#embedder === undefined) return undefined;
    return { ...this.#about, tensors: await this.#embedder.embed(await open.held(), usage) };
  }

  /** Runs the decoder in each shape that pictures and videos give it. @param usage counts the runs */
  async warmUp(picture: Picture, usage = new Usage()): Promise<void> {
    const { width, height } = picture;
    using open = this.open(picture, usage, false);
    const [first] = await open.draw([{ box: [0, 0, width, height] }]);
    if (first === undefined) return;
    for (const regions of warmUpRuns(this.#batch, picture, first.mask)) await open.draw(regions);
  }
}

/** The boxes of the regions that have one. */
export const boxesOf = (regions: readonly Region[]): Corners[] =>
  regions.flatMap(({ box }) => (box === undefined ? [] : [box]));

/** The boxes of examples: an example of points is drawn first. */
export async function exampleBoxes(
  open: Sam2Picture,
  examples: readonly Region[],
  picture: Picture,
): Promise<Corners[]> {
  const pointed = examples.filter(({ box }) => box === undefined);
  const masks = await open.draw(pointed);
  const drawn = pointed.map(({ points: [{ x, y } = { x: 0, y: 0 }] = [] }, i) => {
    const mask = masks[i]?.mask;
    return (mask && gridBounds(mask, picture)) ?? boxAround(x, y, 1, 1);
  });
  return [...boxesOf(examples), ...drawn];
}
