/** Turns mask tensors into the logit grids that the rest of the service uses. */
import type { Tensor } from "onnxruntime-node";
import type { LogitGrid } from "./model.ts";
import { floatValues } from "./tensors.ts";

/** What a mask tensor holds: logits, their sigmoid, or whether a pixel is set. */
export type MaskValues = "logits" | "probabilities" | "binary";

/** The logit of a pixel of a binary mask, beyond that of every threshold from 1e-55 to the last number below 1. */
const CERTAIN = 127;
/** float32 can't tell probabilities beyond these apart, and their logits must stay finite to be interpolated. */
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
  const floats = floatValues(tensor, from, to);
  if (floats === undefined) throw new Error(`The masks are ${tensor.type}, not floats.`);
  // A copy: a view would keep the tensor, with the masks of all queries, in memory.
  return values === "logits" ? floats.slice() : floats.map(logit);
}

function logit(probability: number): number {
  const p = Math.min(Math.max(probability, LEAST), MOST);
  return Math.log(p / (1 - p));
}
