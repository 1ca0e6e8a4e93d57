/** Turns the decoder's queries into instances: scores, boxes in picture pixels, mask grids. */
import { type Box, boxAround, clipBox, suppress } from "../box.ts";
import { floats, type Tensors } from "../graph.ts";
import type { Instance, LogitGrid, SegmentRequest } from "../model.ts";
import type { Size } from "../../size.ts";
import type { Outputs } from "./manifest.ts";
import type { Tensor } from "onnxruntime-node";
import { floatValues } from "../tensors.ts";
import { sigmoid } from "../arithmetic.ts";

interface Query {
  /** The query's index among all. */
  readonly place: number;
  readonly score: number;
  readonly box: Box;
}

/**
 * What one run of the decoder found for one prompt, best first. A score is the probability that a query is what the
 * prompt means, given that it is in the picture, times the probability that it is: the presence head of SAM 3 (Carion
 * et al., SAM 3: Segment Anything with Concepts, 2025). Exports of layout A have multiplied already.
 * @param maskSize the size that the decoder was given, in whose pixels boxes may be
 * @throws Error if the results don't fit each other
 */
export function findInstances(
  results: Tensors,
  outputs: Outputs,
  picture: Size,
  maskSize: Size,
  { threshold, withFaint }: Pick<SegmentRequest, "threshold" | "withFaint">,
): Omit<Instance, "promptIndex">[] {
  const { masks } = results;
  const [scores, boxes] = [scoresOf(results, outputs), floats(results, "boxes")];
  const drawn = masks?.dims.slice(0, -2).reduce((product, size) => product * size, 1);
  if (masks === undefined || drawn !== scores.length || boxes.length !== 4 * scores.length)
    throw new Error(
      `The decoder gave ${scores.length} scores, ${boxes.length / 4} boxes and ${drawn ?? 0} masks.`,
    );
  const least = Math.max(threshold, withFaint ? outputs.faintFloor : outputs.floor);
  const unit = outputs.boxes.space === "unit" ? { width: 1, height: 1 } : maskSize;
  const queries: Query[] = [];
  for (const [place, score] of scores.entries()) {
    if (!(score >= least)) continue;
    const box = clipBox(pictureBox(boxes, place, outputs, picture, unit), picture.width, picture.height);
    if (box !== undefined) queries.push({ place, score, box });
  }
  return suppress(queries, outputs.nmsIou ?? Infinity).map(({ place, score, box }) => ({
    score,
    box,
    mask: maskGrid(masks, place, outputs.masks),
    faint: score < outputs.floor,
  }));
}

function scoresOf(results: Tensors, { scores: values }: Outputs): Float32Array {
  const probability = values === "logits" ? sigmoid : (value: number): number => value;
  const presence = results["presence"] === undefined ? 1 : probability(floats(results, "presence")[0] ?? 0);
  return floats(results, "scores").map((value) => probability(value) * presence);
}

function pictureBox(
  boxes: Float32Array,
  place: number,
  { boxes: { format } }: Outputs,
  to: Size,
  from: Size,
): Box {
  const [a = 0, b = 0, c = 0, d = 0] = boxes.subarray(4 * place, 4 * place + 4);
  const [x, y] = [to.width / from.width, to.height / from.height];
  return format === "xyxy" ? [a * x, b * y, c * x, d * y] : boxAround(a * x, b * y, c * x, d * y);
}

/** What a mask tensor holds: logits, their sigmoid, or whether a pixel is set. */
type MaskValues = "logits" | "probabilities" | "binary";

/** The logit of a pixel of a binary mask, beyond that of every threshold from 1e-55 to the last number below 1. */
const CERTAIN = 127;
/** float32 can't distinguish probabilities beyond these, and their logits must stay finite to be interpolated. */
const [LEAST, MOST] = [2 ** -126, 1 - 2 ** -24];

/**
 * The grid of one mask in a tensor [..., height, width]; `place` is the mask's index among all.
 * @throws Error if the tensor's type doesn't fit its values
 */
export function maskGrid(tensor: Tensor, place: number, values: MaskValues): LogitGrid {
  const [height = 0, width = 0] = tensor.dims.slice(-2);
  const [from, to] = [place * width * height, (place + 1) * width * height];
  return { width, height, logits: logitsOf(tensor, from, to, values) };
}

function logitsOf(tensor: Tensor, from: number, to: number, values: MaskValues): LogitGrid["logits"] {
  if (values === "binary") {
    if (!(tensor.data instanceof Uint8Array)) throw new Error(`The masks are ${tensor.type}, not bool.`);
    const set = tensor.data.subarray(from, to);
    return Int8Array.from(set, (value) => (value === 0 ? -CERTAIN : CERTAIN));
  }
  const found = floatValues(tensor, from, to);
  if (found === undefined) throw new Error(`The masks are ${tensor.type}, not floats.`);
  // A copy: a view would keep the tensor, with the masks of all queries, in memory.
  return values === "logits" ? found.slice() : found.map(logit);
}

function logit(probability: number): number {
  const p = Math.min(Math.max(probability, LEAST), MOST);
  return Math.log(p / (1 - p));
}
