/**
 * OWL-ViT and OWLv2: find the boxes of any number of prompts in one pass over a picture (Minderer et al., 2022 and
 * 2023).
 */
import type { Corners } from "@segmentation/masks";
import { Tensor } from "../../onnx/runtime.ts";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import { sigmoid, unit } from "../arithmetic.ts";
import { boxIou } from "../box.ts";
import type { ClipTokenizer } from "../text/clip-tokenizer.ts";
import { copiedFloats, floats, type Graph } from "../graph.ts";
import { extentOf, imageTensor } from "../image-tensor.ts";
import type { Picture } from "../model.ts";
import { type Remembered, valueMemory } from "../memory/remembered.ts";
import { type Detection, detectionsOf, queryBoxes } from "../sam2/queries.ts";
import { tensorOf } from "../tensors.ts";
import type { OwlvitManifest } from "./manifest.ts";

/** The parts of the model: the encoders of pictures and of prompts, and the head that compares the two. */
interface DetectorGraphs {
  readonly image: Graph;
  readonly text: Graph;
  readonly head: Graph;
}

/** A prompt for the head. */
interface Words {
  readonly ids: readonly number[];
  readonly embedding: Float32Array;
}

export class Detector {
  readonly #graphs: DetectorGraphs;
  readonly #tokenizer: ClipTokenizer;
  readonly #manifest: OwlvitManifest;
  readonly #words: Remembered<Words>;

  /** @param cacheBytes limits the memory of earlier prompts */
  constructor(
    graphs: DetectorGraphs,
    tokenizer: ClipTokenizer,
    manifest: OwlvitManifest,
    cacheBytes: number,
  ) {
    this.#graphs = graphs;
    this.#tokenizer = tokenizer;
    this.#manifest = manifest;
    this.#words = valueMemory(cacheBytes, ({ ids, embedding }) => 8 * ids.length + embedding.byteLength);
  }

  /** Computes a picture's features, which stay on the device, and a box for each; they depend on no prompt. */
  async look(picture: Picture, usage: Usage): Promise<Held> {
    const { image } = this.#graphs;
    const { tensor } = await imageTensor(picture, this.#manifest.images.detector, image.input("image").dtype);
    return image.hold(usage, { image: tensor }, { moved: ["image"], copied: ["boxes"], followed: true });
  }

  /**
   * Finds the objects of each prompt, by itself, by a picture's features: faint objects included, best first, after
   * NMS. Prompts with the same object share its box.
   * @throws Error if the results don't fit each other
   */
  async detect(
    picture: Picture,
    seen: Held,
    prompts: readonly string[],
    usage: Usage,
  ): Promise<Detection[][]> {
    const { head } = this.#graphs;
    const { images, detection } = this.#manifest;
    const words: Words[] = [];
    for (const prompt of prompts) words.push(await this.#read(prompt, usage));
    const { ids, embeddings } = this.#joined(words);
    const results = await head.run(usage, { ...seen.tensors, ids, words: embeddings });
    const [scores, boxes] = [floats(results, "scores"), copiedFloats(seen, "boxes").values];
    if (4 * scores.length !== boxes.length * prompts.length)
      throw new Error(
        `The detector gave ${scores.length} logits for ${boxes.length / 4} boxes and ${prompts.length} prompts.`,
      );
    const inside = queryBoxes(boxes, extentOf(picture, images.detector), picture);
    return prompts.map((_, place) =>
      detectionsOf(inside, (query) => sigmoid(scores[query * prompts.length + place] ?? 0), detection),
    );
  }

  /**
   * Finds the objects that look like the examples of each thing, best first, after NMS: the detector's own box that
   * fits an example best gives the embedding to look for; several examples are averaged (Minderer et al., 2022).
   * @param examples boxes in picture pixels
   */
  async detectAlike(
    picture: Picture,
    seen: Held,
    examples: readonly (readonly Corners[])[],
    usage: Usage,
  ): Promise<Detection[][]> {
    const { images, detection } = this.#manifest;
    const boxes = copiedFloats(seen, "boxes").values;
    const inside = queryBoxes(boxes, extentOf(picture, images.detector), picture);
    const embeddingOf = await this.#boxEmbeddings(seen, usage);
    const queries = examples.map((each) => meanOf(each.map((box) => embeddingOf(nearest(box, inside)))));
    const scores = await this.#compare(seen, queries, usage);
    const choice = { ...detection, ...detection.examples };
    return queries.map((_, place) =>
      detectionsOf(inside, (query) => sigmoid(scores[query * queries.length + place] ?? 0), choice),
    );
  }

  /**
   * The embedding of each box, as a vector of length 1. The export gives none, but its logits are
   * (embedding · query + shift) × scale, with a shift and a positive scale of each box: unit vectors and a query of
   * zeros reveal them.
   */
  async #boxEmbeddings(seen: Held, usage: Usage): Promise<(box: number) => Float32Array> {
    const { embedding } = await this.#read("object", usage);
    const size = embedding.length;
    const probes = Array.from({ length: size + 1 }, (_, i) =>
      Float32Array.from({ length: size }, (__, j) => (i === j ? 1 : 0)),
    );
    const logits = await this.#compare(seen, probes, usage);
    return (box) => {
      const own = logits.subarray(box * (size + 1), (box + 1) * (size + 1));
      return unit(own.subarray(0, size).map((value) => value - (own[size] ?? 0)));
    };
  }

  /** The logits of all boxes for queries, [boxes, queries]. */
  async #compare(seen: Held, queries: readonly Float32Array[], usage: Usage): Promise<Float32Array> {
    // A query counts if its first token is not padding.
    const { context, start } = this.#manifest.text;
    const ids = Array.from({ length: context }, () => start);
    const { ids: tokens, embeddings } = this.#joined(queries.map((embedding) => ({ ids, embedding })));
    const { head } = this.#graphs;
    return floats(await head.run(usage, { ...seen.tensors, ids: tokens, words: embeddings }), "scores");
  }

  /** Forgets the prompts. */
  forget(): void {
    this.#words.clear();
  }

  /** A prompt's embedding; each prompt runs by itself, in one shape. */
  async #read(prompt: string, usage: Usage): Promise<Words> {
    const { ids, count } = this.#tokenizer.encode(prompt);
    const { value } = await this.#words.get(ids.join(), usage, async () => {
      const { text } = this.#graphs;
      const row = (role: string, values: readonly number[]): Tensor =>
        tensorOf(text.input(role).dtype, values, [1, ids.length]);
      const mask = ids.map((__, i) => (i < count ? 1 : 0));
      const feeds = { ids: row("ids", ids), mask: row("mask", mask) };
      return { ids, embedding: floats(await text.run(usage, feeds, { followed: true }), "words") };
    });
    return value;
  }

  /** The ids, [prompts, context], and the embeddings, [1, prompts, size], of several prompts. */
  #joined(words: readonly Words[]): { ids: Tensor; embeddings: Tensor } {
    const { head } = this.#graphs;
    const size = words[0]?.embedding.length ?? 0;
    const embeddings = new Float32Array(words.length * size);
    for (const [place, { embedding }] of words.entries()) embeddings.set(embedding, place * size);
    const ids = words.flatMap((one) => one.ids);
    return {
      ids: tensorOf(head.input("ids").dtype, ids, [words.length, ids.length / words.length]),
      embeddings: tensorOf(head.input("words").dtype, embeddings, [1, words.length, size]),
    };
  }
}

/** The index of the box that fits an example best. */
function nearest(example: Corners, boxes: readonly (Corners | undefined)[]): number {
  const fits = boxes.map((box) => (box === undefined ? 0 : boxIou(box, example)));
  return fits.indexOf(fits.reduce((a, b) => Math.max(a, b), 0));
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = vectors;
  return first.map((_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length);
}
