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

export class Sam3Model extends FamilyModel {
  readonly #parts: Sam3Parts;

  constructor(parts: Sam3Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { manifest, text, decoder } = this.#parts;
    const usage = new Usage(request.usage);
    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      this.#encode(picture, usage),
    );
    using features = value;
    const { prompts } = request;
    const instances: Instance[] = [];
    for (const [promptIndex, prompt] of prompts.entries()) {
      using words = await text.encode(prompt, usage);
      const feeds = { ...this.#noBox(), ...features.tensors, ...words.tensors };
      const results = await decoder.run(usage, feeds, { followed: promptIndex < prompts.length - 1 });
      const found = findInstances(results, manifest.outputs, picture, request);
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
    const { tensor } = await imageTensor(picture, manifest.image, image.inputs[0]?.dtype);
    return image.hold(usage, { image: tensor }, { wanted, moved: ["image"], followed: true });
  }

  /** The decoder's inputs for a box prompt: there is none. */
  #noBox(): Tensors {
    const { decoder, manifest } = this.#parts;
    const values = new Map([
      ["boxes", 0],
      ["boxLabels", manifest.absentBoxLabel],
    ]);
    return Object.fromEntries(
      decoder.inputs.flatMap((spec) => {
        const value = values.get(spec.role);
        return value === undefined ? [] : [[spec.role, filledTensor(spec, value)] as const];
      }),
    );
  }
}
