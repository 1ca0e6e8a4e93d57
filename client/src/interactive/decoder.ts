import {
  type Bitmap,
  bitmapOf,
  type Box,
  chosen,
  cleanRegion,
  clicksOf,
  type EmbeddingData,
  findRuns,
  placed,
  priorOf,
  readEmbedding,
  type Region,
  type RegionPoint,
  valuesOf,
} from "@segmentation/masks";
import { invalidInput } from "../errors.ts";
import type { OnnxRuntime, OnnxSession, OnnxTensor } from "./runtime.ts";

/** Marks an object: points on it and outside it, or a box around it, in pixels of the picture. */
export type DecodeRequest = (
  | { readonly points: readonly RegionPoint[]; readonly box?: never }
  | { readonly box: Box; readonly points?: never }
) & {
  /** The mask to correct. */
  readonly prior?: Bitmap | undefined;
};

/** A mask that the service would return for the same region. */
export interface DecodedMask {
  readonly mask: Bitmap;
  /** 0 to 1. */
  readonly confidence: number;
}

/** A pixel is inside if it is more likely inside than outside, as in a job without a `maskThreshold`. */
const MASK_THRESHOLD = 0.5;

/** A model's decoder, which draws masks without the service. */
export class MaskDecoder {
  readonly #runtime: OnnxRuntime;
  readonly #session: OnnxSession;

  private constructor(runtime: OnnxRuntime, session: OnnxSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /**
   * Loads a decoder.
   * @param runtime the module `onnxruntime-web` or `onnxruntime-node`
   * @param file the bytes of `interactive.decoder` in the service's model
   * @param options of ONNX Runtime's session
   */
  static async load(
    runtime: OnnxRuntime,
    file: Uint8Array,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<MaskDecoder> {
    return new MaskDecoder(runtime, await runtime.InferenceSession.create(file, options));
  }

  /** Opens a picture. @throws SegmentationError `invalid_input` if the bytes are no embedding */
  open(embedding: Uint8Array): InteractivePicture {
    let data: EmbeddingData;
    try {
      data = readEmbedding(embedding);
    } catch (cause) {
      throw invalidInput(cause instanceof Error ? cause.message : "The file is no embedding.", { cause });
    }
    return new InteractivePicture(this.#runtime, this.#session, data);
  }

  /** Frees its memory; its pictures can't be used any more. */
  async release(): Promise<void> {
    await this.#session.release();
  }
}

/** A picture in which a decoder draws masks. */
export class InteractivePicture {
  readonly width: number;
  readonly height: number;
  readonly #runtime: OnnxRuntime;
  readonly #session: OnnxSession;
  readonly #rules: EmbeddingData["decoder"];
  readonly #features: Readonly<Record<string, OnnxTensor>>;
  /** The side of the grid of a prior. */
  readonly #priorSide: number;

  constructor(
    runtime: OnnxRuntime,
    session: OnnxSession,
    { decoder, width, height, tensors }: EmbeddingData,
  ) {
    this.width = width;
    this.height = height;
    this.#runtime = runtime;
    this.#session = session;
    this.#rules = decoder;
    this.#features = Object.fromEntries(
      tensors.map((tensor) => [tensor.name, this.#tensor(valuesOf(tensor), tensor.dims)]),
    );
    const grids = tensors.flatMap(({ dims: [, , rows, columns] }) =>
      columns === undefined ? [] : [rows ?? 0],
    );
    this.#priorSide = PRIOR_CELLS * Math.min(...grids);
  }

  /**
   * Draws the mask of a region.
   * @example const { mask } = await picture.decode({ points: [{ x: 430, y: 200, label: 1 }] });
   * @throws SegmentationError `invalid_input` if the region is outside the picture, or the prior of another size
   */
  async decode(request: DecodeRequest): Promise<DecodedMask> {
    const region = this.#regionOf(request);
    const { masks, iou_predictions: ratings } = await this.#session.run({
      ...this.#features,
      ...this.#clicksOf(region),
    });
    const [, count = 0, height = 0, width = 0] = masks?.dims ?? [];
    const [logits, qualities] = [floatsOf(masks), floatsOf(ratings)];
    const candidates = Array.from({ length: count }, (_, at) => ({
      mask: { width, height, logits: logits.subarray(at * width * height, (at + 1) * width * height) },
      quality: qualities[at] ?? 0,
    }));
    const { mask, quality } = chosen(candidates, region, this);
    const cleaned = cleanRegion(mask, region, this, this.#rules);
    return {
      mask: bitmapOf(findRuns(cleaned, this.width, this.height, MASK_THRESHOLD)),
      confidence: Math.min(Math.max(quality, 0), 1),
    };
  }

  #regionOf({ prior, ...place }: DecodeRequest): Region {
    const region = placed(place, this);
    if (region === undefined) throw invalidInput("The region lies outside the picture.");
    if (prior === undefined) return region;
    if (prior.width !== this.width || prior.height !== this.height)
      throw invalidInput("The mask to correct is not of the picture's size.");
    return { ...region, prior: priorOf(prior, this.#priorSide) };
  }

  #clicksOf(region: Region): Record<string, OnnxTensor> {
    const { width, height } = this.#rules;
    const clicks = clicksOf(region);
    const places = clicks.flatMap(({ x, y }) => [x * (width / this.width), y * (height / this.height)]);
    const { prior } = region;
    const side = this.#priorSide;
    return {
      point_coords: this.#tensor(Float32Array.from(places), [1, clicks.length, 2]),
      point_labels: this.#tensor(
        Float32Array.from(clicks, ({ label }) => label),
        [1, clicks.length],
      ),
      mask_input: this.#tensor(prior?.logits ?? new Float32Array(side * side), [1, 1, side, side]),
      has_mask_input: this.#tensor(Float32Array.of(prior === undefined ? 0 : 1), [1]),
    };
  }

  #tensor(values: Float32Array, dims: readonly number[]): OnnxTensor {
    return new this.#runtime.Tensor("float32", values, dims);
  }
}

/** The cells of a prior's grid across a cell of the coarsest features. */
const PRIOR_CELLS = 4;

function floatsOf(tensor: OnnxTensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array))
    throw invalidInput("The decoder does not belong to this service.");
  return tensor.data;
}
