/** SAM 2 with box prompts: computes a picture's features once, then a mask per box. */
import { Tensor } from "onnxruntime-node";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import type { Box } from "../box.ts";
import { floats, type Graph, type GraphFeeds, type Tensors } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { LogitGrid, Picture, Region } from "../model.ts";
import { gridIou } from "../mask-shape.ts";
import type { SegmenterManifest } from "./manifest.ts";

/** SAM's point labels for a box's top left and bottom right corners. */
const BOX_CORNERS = [2, 3];

export class Segmenter {
  readonly #encoder: Graph;
  readonly #decoder: Graph;
  readonly #manifest: SegmenterManifest;

  constructor(encoder: Graph, decoder: Graph, manifest: SegmenterManifest) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#manifest = manifest;
  }

  /**
   * The image features that `masks` needs, under the roles of the encoder's outputs; they stay on the device.
   * @param copied roles of those of which a copy comes too
   */
  async encode(picture: Picture, usage: Usage, copied: readonly string[] = []): Promise<Held> {
    const { tensor } = await imageTensor(picture, this.#manifest.images.segmenter);
    return this.#encoder.hold(usage, { image: tensor }, { moved: ["image"], copied, followed: true });
  }

  /** One grid of mask logits per box, in the boxes' order: the decoder's candidate that it rates best. */
  async masks(features: Held, boxes: readonly Box[], picture: Picture, usage: Usage): Promise<LogitGrid[]> {
    const grids: LogitGrid[] = [];
    for (const some of batches(boxes, this.#manifest.masks.batch)) {
      const followed = grids.length + some.length < boxes.length;
      const prompt = this.#prompt(features, some, picture);
      for (const candidates of await this.#decode(prompt, some.length, [], usage, followed))
        grids.push(best(candidates, ({ quality }) => quality).mask);
    }
    return grids;
  }

  /** For each region the decoder's candidate that is best by its own estimate and by the overlap with the prior. */
  async redraw(
    features: Held,
    regions: readonly Region[],
    picture: Picture,
    usage: Usage,
  ): Promise<Candidate[]> {
    const drawn: Candidate[] = [];
    for (const some of batches(regions, this.#manifest.masks.batch)) {
      const boxes = some.map(({ box }) => box);
      const priors = some.map(({ prior }) => prior);
      const prompt = this.#prompt(features, boxes, picture);
      const candidates = await this.#decode(prompt, some.length, priors, usage, false);
      for (const [at, prior] of priors.entries())
        drawn.push(best(candidates[at] ?? [], ({ mask, quality }) => quality * gridIou(mask, prior)));
    }
    return drawn;
  }

  /** The candidates of each of `count` boxes. @param priors a mask for each box to begin from, or none at all */
  async #decode(
    prompt: GraphFeeds,
    count: number,
    priors: readonly LogitGrid[],
    usage: Usage,
    followed: boolean,
  ): Promise<Candidate[][]> {
    const size = this.#priorMaskSize();
    const masks = new Float32Array(count * size * size);
    for (const [at, { logits }] of priors.entries()) masks.set(logits, at * size * size);
    const feeds = {
      ...prompt,
      priorMasks: new Tensor("float32", masks, [count, 1, size, size]),
      hasPriorMasks: new Tensor("float32", Float32Array.of(priors.length > 0 ? 1 : 0), [1]),
    };
    return allCandidates(await this.#decoder.run(usage, feeds, { followed, moved: ["priorMasks"] }));
  }

  #prompt(features: Held, boxes: readonly Box[], picture: Picture): GraphFeeds {
    const { width, height } = this.#manifest.images.segmenter;
    const [scaleX, scaleY] = [width / picture.width, height / picture.height];
    const points = boxes.flatMap(([x1, y1, x2, y2]) => [x1 * scaleX, y1 * scaleY, x2 * scaleX, y2 * scaleY]);
    return {
      ...features.tensors,
      points: new Tensor("float32", Float32Array.from(points), [boxes.length, 2, 2]),
      pointLabels: new Tensor("float32", Float32Array.from(boxes.flatMap(() => BOX_CORNERS)), [
        boxes.length,
        2,
      ]),
    };
  }

  #priorMaskSize(): number {
    const size = this.#manifest.graphs.decoder.inputs.find(({ role }) => role === "priorMasks")?.shape[3];
    return typeof size === "number" ? size : 0;
  }
}

/** A mask that the decoder offers for a box, with its estimate of the mask's IoU. */
interface Candidate {
  readonly mask: LogitGrid;
  readonly quality: number;
}

/** Each box's candidates; masks are [boxes, candidates, height, width], quality [boxes, candidates]. */
function allCandidates(results: Tensors): Candidate[][] {
  const [masks, quality] = [floats(results, "masks"), floats(results, "quality")];
  const [boxes = 0, candidates = 0, height = 0, width = 0] = results["masks"]?.dims ?? [];
  return Array.from({ length: boxes }, (_, box) =>
    Array.from({ length: candidates }, (__, candidate) => {
      const place = box * candidates + candidate;
      const logits = masks.subarray(place * width * height, (place + 1) * width * height);
      return { mask: { width, height, logits }, quality: quality[place] ?? 0 };
    }),
  );
}

/** The candidate with the greatest value, in memory of its own: a view would keep all of them. */
function best(candidates: readonly Candidate[], valueOf: (candidate: Candidate) => number): Candidate {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("The decoder offered no mask for a box.");
  const { mask, quality } = others.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a), first);
  return { mask: { ...mask, logits: mask.logits.slice() }, quality };
}

/** The items in their order, up to `size` at a time. */
function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
