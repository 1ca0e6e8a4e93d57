/** SAM 2 with boxes and points: computes a picture's features once, then a mask per region. */
import { Tensor } from "../../onnx/runtime.ts";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import { freeBuffer } from "../../free-buffer.ts";
import { floats, type Graph, type GraphFeeds, type Tensors } from "../graph.ts";
import { byteTensor, imageTensor } from "../image-tensor.ts";
import type { TensorSpec } from "../manifest.ts";
import { type Candidate, chosen, clicksOf, type Region } from "@segmentation/masks";
import type { Picture } from "../model.ts";
import { runsOf } from "./regions.ts";
import type { SegmenterManifest } from "./manifest.ts";

export class Segmenter {
  readonly #encoder: Graph;
  readonly #decoder: Graph;
  readonly #manifest: SegmenterManifest;
  readonly #wanted: ((output: TensorSpec) => boolean) | undefined;

  /** @param wanted selects the encoder's outputs to keep; by default all */
  constructor(
    encoder: Graph,
    decoder: Graph,
    manifest: SegmenterManifest,
    wanted?: (output: TensorSpec) => boolean,
  ) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#manifest = manifest;
    this.#wanted = wanted;
  }

  /**
   * The image features that `draw` needs, under the roles of the encoder's outputs; they stay on the device.
   * @param copied roles of those that are also returned as a copy
   */
  async encode(picture: Picture, usage: Usage, copied: readonly string[] = []): Promise<Held> {
    const image = await this.#image(picture);
    const wanted = this.#wanted === undefined ? {} : { wanted: this.#wanted };
    return this.#encoder.hold(usage, { image }, { ...wanted, moved: ["image"], copied, followed: true });
  }

  /**
   * Draws a mask for each region, in their order, and returns the results of `finish`.
   * @param finish copies the parts of the mask that it keeps: the mask's memory is freed
   */
  async draw<T>(
    features: Held,
    regions: readonly Region[],
    picture: Picture,
    usage: Usage,
    finish: (drawn: Candidate, region: Region) => T,
  ): Promise<T[]> {
    const take = (candidates: readonly Candidate[], region: Region): T =>
      finish(chosen(candidates, region, picture), region);
    return this.#decode(features, regions, picture, usage, take, true);
  }

  /** All masks that the decoder offers for each region, in their order. */
  async offers(
    features: Held,
    regions: readonly Region[],
    picture: Picture,
    usage: Usage,
  ): Promise<Candidate[][]> {
    return this.#decode(features, regions, picture, usage, (candidates) => [...candidates], false);
  }

  /** @param frees true if no result of `take` shares memory with the candidates */
  async #decode<T>(
    features: Held,
    regions: readonly Region[],
    picture: Picture,
    usage: Usage,
    take: (candidates: readonly Candidate[], region: Region) => T,
    frees: boolean,
  ): Promise<T[]> {
    const drawn: T[] = [];
    const runs = runsOf(regions, this.#manifest.masks.batch).map((indices) => {
      return indices.flatMap((index) => {
        const region = regions[index];
        return region === undefined ? [] : [{ index, region }];
      });
    });
    const ask = async (run: number): Promise<Tensors> => {
      const some = (runs[run] ?? []).map(({ region }) => region);
      const feeds = { ...features.tensors, ...this.#clicks(some, picture), ...this.#priors(some) };
      const followed = run + 1 < runs.length;
      return this.#decoder.run(usage, feeds, { followed, moved: ["priorMasks"] });
    };
    let asked = runs.length > 0 ? ask(0) : undefined;
    for (const [run, some] of runs.entries()) {
      const results = (await asked) ?? {};
      // The device runs the next regions while the engine reads these masks.
      asked = run + 1 < runs.length ? ask(run + 1) : undefined;
      asked?.catch(() => undefined);
      const candidates = allCandidates(results);
      for (const [at, { index, region }] of some.entries()) drawn[index] = take(candidates[at] ?? [], region);
      if (frees)
        for (const { data } of Object.values(results)) if (ArrayBuffer.isView(data)) freeBuffer(data.buffer);
    }
    return drawn;
  }

  /** The encoder's input: bytes if it normalizes them itself. */
  async #image(picture: Picture): Promise<Tensor> {
    const input = this.#manifest.images.segmenter;
    const dtype = this.#manifest.graphs.encoder.inputs.find(({ role }) => role === "image")?.dtype;
    if (dtype === "uint8") return byteTensor(picture, input);
    return (await imageTensor(picture, input, dtype)).tensor;
  }

  /** The regions' clicks in the encoder's pixels; all regions have the same number. */
  #clicks(regions: readonly Region[], picture: Picture): GraphFeeds {
    const { width, height } = this.#manifest.images.segmenter;
    const [scaleX, scaleY] = [width / picture.width, height / picture.height];
    const clicks = regions.flatMap(clicksOf);
    const each = clicks.length / regions.length;
    const points = Float32Array.from(clicks.flatMap(({ x, y }) => [x * scaleX, y * scaleY]));
    const labels = Float32Array.from(clicks, ({ label }) => label);
    return {
      points: new Tensor("float32", points, [regions.length, each, 2]),
      pointLabels: new Tensor("float32", labels, [regions.length, each]),
    };
  }

  /** The priors: either all regions have one or none has. */
  #priors(regions: readonly Region[]): GraphFeeds {
    const side = this.priorSide;
    const masks = new Float32Array(regions.length * side * side);
    for (const [at, { prior }] of regions.entries())
      if (prior !== undefined) masks.set(prior.logits, at * side * side);
    const hasPriors = regions.some(({ prior }) => prior !== undefined);
    return {
      priorMasks: new Tensor("float32", masks, [regions.length, 1, side, side]),
      hasPriorMasks: new Tensor("float32", Float32Array.of(hasPriors ? 1 : 0), [1]),
    };
  }

  /** The side of the grid of priors. */
  get priorSide(): number {
    const size = this.#decoder.inputs.find(({ role }) => role === "priorMasks")?.shape[3];
    return typeof size === "number" ? size : 0;
  }
}

/** Each region's candidates; masks are [regions, candidates, height, width], quality [regions, candidates]. */
function allCandidates(results: Tensors): Candidate[][] {
  const [masks, quality] = [floats(results, "masks"), floats(results, "quality")];
  const [regions = 0, candidates = 0, height = 0, width = 0] = results["masks"]?.dims ?? [];
  return Array.from({ length: regions }, (_, region) =>
    Array.from({ length: candidates }, (__, candidate) => {
      const place = region * candidates + candidate;
      const logits = masks.subarray(place * width * height, (place + 1) * width * height);
      return { mask: { width, height, logits }, quality: quality[place] ?? 0 };
    }),
  );
}
