/** Turns a model server's parsed answer into objects and regions, and checks every value. */
import { clipBox } from "../box.ts";
import type { Corners, LogitGrid, Size } from "@segmentation/masks";
import type { DrawnRegion, Instance } from "../model.ts";
import { GRID } from "./contract.ts";
import { type Outputs, WrongAnswer } from "./response.ts";

/** The distance by which a box may extend beyond the picture, in the sent picture's pixels, because of rounding. */
const SLACK = 1;

/**
 * The objects of an answer for prompts, by prompt and from the highest score down.
 * @param sent the size of the sent picture, in whose pixels boxes are
 * @param least the lowest score of the request; leaves out objects below
 * @param floor the score below which an object is faint
 * @throws WrongAnswer naming the impossible value
 */
export function instancesOf(
  outputs: Outputs,
  picture: Size,
  sent: Size,
  { prompts, regions }: { readonly prompts: number; readonly regions: number },
  { least, floor }: { readonly least: number; readonly floor: number },
): Instance[] {
  const [x, y] = [picture.width / sent.width, picture.height / sent.height];
  const instances = Array.from({ length: outputs.count }, (_, object): Instance[] => {
    const promptIndex = outputs.promptIndex[object] ?? NaN;
    if (!(promptIndex >= 0 && promptIndex < prompts + regions)) {
      const asked = `${prompts} prompts${regions === 0 ? "" : ` and ${regions} regions`}`;
      throw new WrongAnswer(`prompt_index[${object}] is ${promptIndex} of ${asked}.`);
    }
    const score = outputs.scores[object] ?? NaN;
    if (!(score >= 0 && score <= 1)) throw new WrongAnswer(`scores[${object}] is ${score}.`);
    // A region's mask; its place is known from the request.
    if (promptIndex >= prompts) return [];
    const [x1, y1, x2, y2] = boxAt(outputs.boxes, object, sent);
    const mask = maskAt(outputs, object);
    const box = clipBox([x1 * x, y1 * y, x2 * x, y2 * y], picture.width, picture.height);
    if (box === undefined || score < least) return [];
    return [{ promptIndex, score, box, mask, faint: score < floor }];
  }).flat();
  return instances.toSorted((a, b) => a.promptIndex - b.promptIndex || b.score - a.score);
}

/** The server's mask for a region: its only object. @throws WrongAnswer if there is none, or more */
export function drawnOf(outputs: Outputs, prompts: number, region: number): DrawnRegion {
  const objects = [...outputs.promptIndex.keys()].filter(
    (object) => outputs.promptIndex[object] === prompts + region,
  );
  const [object] = objects;
  if (object === undefined || objects.length > 1)
    throw new WrongAnswer(`The region ${region} has ${objects.length} objects instead of one.`);
  return { mask: maskAt(outputs, object), quality: outputs.scores[object] ?? 0 };
}

/** @throws WrongAnswer if a logit is not finite */
function maskAt({ masks }: Outputs, object: number): LogitGrid {
  const logits = new Float32Array(masks.subarray(object * GRID * GRID, (object + 1) * GRID * GRID));
  if (!logits.every((logit) => Number.isFinite(logit)))
    throw new WrongAnswer(`masks[${object}] has a logit that is not finite.`);
  return { width: GRID, height: GRID, logits };
}

function boxAt(boxes: Float32Array, object: number, { width, height }: Size): Corners {
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN] = boxes.subarray(4 * object, 4 * object + 4);
  const isInside = x1 >= -SLACK && y1 >= -SLACK && x2 <= width + SLACK && y2 <= height + SLACK;
  if (!(isInside && x1 < x2 && y1 < y2))
    throw new WrongAnswer(
      `boxes[${object}] is [${[x1, y1, x2, y2].join(", ")}] in a picture of ${width} × ${height}.`,
    );
  return [x1, y1, x2, y2];
}
