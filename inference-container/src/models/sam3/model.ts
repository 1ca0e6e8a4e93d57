/** SAM 3 with text prompts: computes a picture's and a prompt's features once each, then runs the decoder per pair. */
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import type { Graph, GraphSet, Tensors } from "../graph.ts";
import { FamilyModel } from "../family-model.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { imageTensor } from "../image-tensor.ts";
import type { TensorSpec } from "../manifest.ts";
import type { Instance, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { filledTensor } from "../tensors.ts";
import type { Size } from "../../size.ts";
import { findInstances } from "./instances.ts";
import type { Sam3Manifest } from "./manifest.ts";
import type { TextEncoder } from "./text-encoder.ts";

export interface Sam3Parts {
  readonly manifest: Sam3Manifest;
  readonly graphs: GraphSet;
  readonly image: Graph;
  readonly text: TextEncoder;
  readonly decoder: Graph;
  /** Whether the decoder takes an output of the image encoder; the others are neither fetched nor kept. */
  readonly wanted: (output: TensorSpec) => boolean;
}

/**
 * The network draws 288 × 288. Masks of 1920 × 1080 are requested in full. Larger ones would improve the outline of
 * small objects by a hundredth, at a byte per pixel and object, besides the time that the decoder takes to draw them.
 */
const MASK_PIXELS = 2_100_000;

export class Sam3Model extends FamilyModel {
  readonly #parts: Sam3Parts;

  constructor(parts: Sam3Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { manifest, text, decoder } = this.#parts;
    const size = maskSize(picture);
    const usage = new Usage(request.usage);
    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      this.#encode(picture, usage),
    );
    using features = value;
    const { prompts } = request;
    const instances: Instance[] = [];
    for (const [promptIndex, prompt] of prompts.entries()) {
      using words = await text.encode(prompt, usage);
      const feeds = { ...this.#constants(size), ...features.tensors, ...words.tensors };
      const results = await decoder.run(usage, feeds, { followed: promptIndex < prompts.length - 1 });
      const found = findInstances(results, manifest.outputs, picture, size, request);
      for (const instance of found) instances.push({ promptIndex, ...instance });
    }
    return { instances, unserved: [], modelMs: usage.ms, featuresCached: cached };
  }

  override forget(): void {
    super.forget();
    this.#parts.text.forget();
  }

  async #encode(picture: Picture, usage: Usage): Promise<Held> {
    const { manifest, image, wanted } = this.#parts;
    const { tensor } = await imageTensor(picture, manifest.image, image.inputs[0]);
    return image.hold(usage, { image: tensor }, { wanted, moved: ["image"], followed: true });
  }

  /** The decoder's constant inputs: there is no box prompt, and masks have this size. */
  #constants({ width, height }: Size): Tensors {
    const { decoder, manifest } = this.#parts;
    const values = { width, height, boxes: 0, boxLabels: manifest.absentBoxLabel, boxMask: 1 };
    return Object.fromEntries(
      Object.entries(values).flatMap(([role, value]) => {
        const spec = decoder.inputs.find((input) => input.role === role);
        return spec === undefined ? [] : [[role, filledTensor(spec, value)] as const];
      }),
    );
  }
}

/** The picture's size, reduced if its masks would be too large. */
function maskSize({ width, height }: Size): Size {
  const scale = Math.min(1, Math.sqrt(MASK_PIXELS / (width * height)));
  const side = (size: number): number => Math.max(1, Math.round(size * scale));
  return { width: side(width), height: side(height) };
}
