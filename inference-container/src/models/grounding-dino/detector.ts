/** Grounding DINO: finds the boxes of one phrase in a picture. */
import type { Size } from "@segmentation/masks";
import type { Usage } from "../../device/usage.ts";
import { floats, type Graph, type Tensors } from "../graph.ts";
import { imageTensor, type ImageTensor } from "../image-tensor.ts";
import type { Picture } from "../model.ts";
import { type Detection, detectionsOf, queryBoxes } from "../sam2/queries.ts";
import { type TensorForm, tensorOf } from "../tensors.ts";
import type { GroundingDinoManifest } from "./manifest.ts";
import type { PhraseTokenizer } from "./tokenizer.ts";
import { Tensor } from "../../onnx/runtime.ts";
import { sigmoid } from "../arithmetic.ts";

export class Detector {
  readonly #graph: Graph;
  readonly #tokenizer: PhraseTokenizer;
  readonly #manifest: GroundingDinoManifest;
  readonly #content: ContentMask;

  constructor(graph: Graph, tokenizer: PhraseTokenizer, manifest: GroundingDinoManifest) {
    this.#graph = graph;
    this.#tokenizer = tokenizer;
    this.#manifest = manifest;
    this.#content = new ContentMask(this.#graph.input("content"), manifest.images.detector);
  }

  /** The picture in the form that `detect` takes, the same for every prompt. */
  prepare(picture: Picture): Promise<ImageTensor> {
    return imageTensor(picture, this.#manifest.images.detector, this.#graph.input("image").dtype);
  }

  /**
   * Finds a phrase's objects in the picture: faint objects included, best first, after NMS. A box's score is the
   * sigmoid of its best token's logit; its position is relative to the picture without bars (Liu et al., Grounding
   * DINO, 2023).
   * @throws Error if the results don't fit each other
   */
  async detect(picture: Picture, prepared: ImageTensor, prompt: string, usage: Usage): Promise<Detection[]> {
    const results = await this.#graph.run(usage, this.#feeds(picture, prepared, prompt));
    const [scores, boxes] = [floats(results, "scores"), floats(results, "boxes")];
    const queries = boxes.length / 4;
    const tokens = scores.length / queries;
    if (!Number.isInteger(tokens))
      throw new Error(`The detector gave ${scores.length} logits for ${queries} boxes.`);
    // A missing token has the logit −∞.
    const scoreOf = (query: number): number =>
      sigmoid(scores.subarray(query * tokens, (query + 1) * tokens).reduce(greater, -Infinity));
    return detectionsOf(queryBoxes(boxes, picture, picture), scoreOf, this.#manifest.detection);
  }

  #feeds(picture: Picture, { tensor, scaleX, scaleY }: ImageTensor, prompt: string): Tensors {
    const ids = this.#tokenizer.encode(prompt);
    const fixed = this.#graph.input("ids").shape[1];
    const length = typeof fixed === "number" ? fixed : ids.length;
    const row = (role: string, fill: number, value: (id: number) => number) =>
      tensorOf(
        this.#graph.input(role).dtype,
        Array.from({ length }, (_, i) => (i < ids.length ? value(ids[i] ?? fill) : fill)),
        [1, length],
      );
    const shown = {
      width: Math.round(picture.width * scaleX),
      height: Math.round(picture.height * scaleY),
    };
    return {
      image: tensor,
      content: this.#content.of(shown),
      ids: row("ids", this.#manifest.text.pad, (id) => id),
      mask: row("mask", 0, () => 1),
      types: row("types", 0, () => 0),
    };
  }
}

function greater(a: number, b: number): number {
  return b > a ? b : a;
}

/**
 * The mask of the detector's input: it marks the pixels of the picture, from the top left corner. The rest is padding.
 */
export class ContentMask {
  readonly #dtype: TensorForm["dtype"];
  readonly #input: Size;
  #last: { readonly shown: Size; readonly tensor: Tensor } | undefined;

  /** @param form of the graph's tensor; @param input the size of the detector's input */
  constructor({ dtype }: Pick<TensorForm, "dtype">, input: Size) {
    this.#dtype = dtype;
    this.#input = input;
  }

  /**
   * The mask [1, height, width] of a picture that takes this much of the input. All prompts and frames of a video share
   * one: do not change it.
   */
  of(shown: Size): Tensor {
    if (this.#last?.shown.width !== shown.width || this.#last.shown.height !== shown.height)
      this.#last = { shown, tensor: this.#made(shown) };
    return this.#last.tensor;
  }

  #made(shown: Size): Tensor {
    const { width, height } = this.#input;
    const dims = [1, height, width];
    if (this.#dtype !== "int64") {
      const values = new Float32Array(width * height);
      for (let y = 0; y < shown.height; y += 1) values.fill(1, y * width, y * width + shown.width);
      return tensorOf(this.#dtype, values, dims);
    }
    // The type that exports have. Made from floats, it would take a BigInt for each of some 640,000 pixels.
    const values = new BigInt64Array(width * height);
    for (let y = 0; y < shown.height; y += 1) values.fill(1n, y * width, y * width + shown.width);
    return new Tensor("int64", values, dims);
  }
}
