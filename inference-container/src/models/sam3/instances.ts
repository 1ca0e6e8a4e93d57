/** Turns the decoder's queries into instances: scores, boxes in picture pixels, mask grids. */
import { clipBox, suppress } from "../box.ts";
import type { Tensor } from "../../onnx/runtime.ts";
import { floats, type Tensors } from "../graph.ts";
import { floatValues } from "../tensors.ts";
import type { Corners, LogitGrid, Size } from "@segmentation/masks";
import type { Instance, SegmentRequest } from "../model.ts";
import type { Outputs } from "./manifest.ts";
import { sigmoid } from "../arithmetic.ts";

interface Query {
  /** The query's index among all. */
  readonly place: number;
  readonly score: number;
  readonly box: Corners;
}

/**
 * The instances that one run of the decoder found for one prompt, best first. A score is the product of two
 * probabilities: that the prompt's object is in the picture (SAM 3's presence head), and that the query is this object
 * if it is (Carion et al., SAM 3: Segment Anything with Concepts, 2025).
 * @throws Error if the results don't fit each other
 */
export function findInstances(
  results: Tensors,
  outputs: Outputs,
  picture: Size,
  { threshold, withFaint }: Pick<SegmentRequest, "threshold" | "withFaint">,
): Omit<Instance, "promptIndex">[] {
  const { masks } = results;
  const [scores, boxes] = [scoresOf(results), floats(results, "boxes")];
  const drawn = masks?.dims.slice(0, -2).reduce((product, size) => product * size, 1);
  if (masks === undefined || drawn !== scores.length || boxes.length !== 4 * scores.length)
    throw new Error(
      `The decoder gave ${scores.length} scores, ${boxes.length / 4} boxes and ${drawn ?? 0} masks.`,
    );
  const least = Math.max(threshold, withFaint ? outputs.faintFloor : outputs.floor);
  const queries: Query[] = [];
  for (const [place, score] of scores.entries()) {
    if (!(score >= least)) continue;
    const box = clipBox(pictureBox(boxes, place, picture), picture.width, picture.height);
    if (box !== undefined) queries.push({ place, score, box });
  }
  return suppress(queries, outputs.nmsIou ?? Infinity).map(({ place, score, box }) => ({
    score,
    box,
    mask: maskGrid(masks, place),
    faint: score < outputs.floor,
  }));
}

function scoresOf(results: Tensors): Float32Array {
  const presence = sigmoid(floats(results, "presence")[0] ?? 0);
  return floats(results, "scores").map((logit) => sigmoid(logit) * presence);
}

function pictureBox(boxes: Float32Array, place: number, { width, height }: Size): Corners {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = boxes.subarray(4 * place, 4 * place + 4);
  return [x1 * width, y1 * height, x2 * width, y2 * height];
}

/** The grid of one mask in a tensor of logits [..., height, width]; `place` is the mask's index among all. */
function maskGrid(tensor: Tensor, place: number): LogitGrid {
  const [height = 0, width = 0] = tensor.dims.slice(-2);
  const logits = floatValues(tensor, place * width * height, (place + 1) * width * height);
  if (logits === undefined) throw new Error(`The masks are ${tensor.type}, not floats.`);
  // A copy: a view would keep the tensor, with the masks of all queries, in memory.
  return { width, height, logits: logits.slice() };
}
