/** SAM 2 with box prompts: computes a picture's features once, then a mask per box. */
import { Tensor } from "onnxruntime-node";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import type { Box } from "../box.ts";
import { floats, type Graph } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { LogitGrid, Picture } from "../model.ts";
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

  /** How many pictures the device encodes at once. */
  get maxBatch(): number {
    return this.#encoder.maxBatch;
  }

  /** The image features that `masks` needs, under the roles of the encoder's outputs; they stay on the device. */
  async encode(picture: Picture, usage: Usage): Promise<Held> {
    const { tensor } = await imageTensor(picture, this.#manifest.images.segmenter);
    return this.#encoder.hold(usage, { image: tensor }, { moved: ["image"], followed: true });
  }

  /** One grid of mask logits per box, in the boxes' order: the decoder's candidate that it rates best. */
  async masks(features: Held, boxes: readonly Box[], picture: Picture, usage: Usage): Promise<LogitGrid[]> {
    const { batch } = this.#manifest.masks;
    const grids: LogitGrid[] = [];
    for (let from = 0; from < boxes.length; from += batch) {
      const last = from + batch >= boxes.length;
      grids.push(...(await this.#decode(features, boxes.slice(from, from + batch), picture, usage, last)));
    }
    return grids;
  }

  async #decode(
    features: Held,
    boxes: readonly Box[],
    picture: Picture,
    usage: Usage,
    last: boolean,
  ): Promise<LogitGrid[]> {
    const { refinements } = this.#manifest.masks;
    const { width, height } = this.#manifest.images.segmenter;
    const [scaleX, scaleY] = [width / picture.width, height / picture.height];
    const points = boxes.flatMap(([x1, y1, x2, y2]) => [x1 * scaleX, y1 * scaleY, x2 * scaleX, y2 * scaleY]);
    const prompt = {
      ...features.tensors,
      points: new Tensor("float32", Float32Array.from(points), [boxes.length, 2, 2]),
      pointLabels: new Tensor("float32", Float32Array.from(boxes.flatMap(() => BOX_CORNERS)), [
        boxes.length,
        2,
      ]),
    };
    const size = this.#priorMaskSize();
    let priors = new Float32Array(boxes.length * size * size);
    let grids: LogitGrid[] = [];
    // Each further pass also shows the decoder its own best mask: the refinement that SAM was trained with (Kirillov et
    // al., Segment Anything, 2023, appendix A). It repairs frayed edges and missing parts.
    for (let pass = 0; pass <= refinements; pass += 1) {
      const feeds = {
        ...prompt,
        priorMasks: new Tensor("float32", priors, [boxes.length, 1, size, size]),
        hasPriorMasks: new Tensor("float32", Float32Array.of(pass > 0 ? 1 : 0), [1]),
      };
      const followed = pass < refinements || !last;
      const results = await this.#decoder.run(usage, feeds, { followed, moved: ["priorMasks"] });
      const dims = results["masks"]?.dims ?? [];
      grids = bestCandidates(floats(results, "masks"), dims, floats(results, "quality"));
      priors = new Float32Array(boxes.length * size * size);
      for (const [box, { logits }] of grids.entries()) priors.set(logits, box * size * size);
    }
    return grids;
  }

  #priorMaskSize(): number {
    const size = this.#manifest.graphs.decoder.inputs.find(({ role }) => role === "priorMasks")?.shape[3];
    return typeof size === "number" ? size : 0;
  }
}

/** Takes each box's best candidate; masks are [boxes, candidates, height, width], quality [boxes, candidates]. */
function bestCandidates(masks: Float32Array, dims: readonly number[], quality: Float32Array): LogitGrid[] {
  const [boxes = 0, candidates = 0, height = 0, width = 0] = dims;
  return Array.from({ length: boxes }, (_, box) => {
    const ratings = quality.subarray(box * candidates, (box + 1) * candidates);
    const best = ratings.indexOf(Math.max(...ratings));
    const from = (box * candidates + best) * width * height;
    return { width, height, logits: masks.slice(from, from + width * height) };
  });
}
