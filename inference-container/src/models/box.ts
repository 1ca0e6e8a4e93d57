/** Boxes of models, non-maximum suppression, and the places of regions. */
import type { Corners, Region, Size } from "@segmentation/masks";

interface ScoredBox {
  readonly box: Corners;
  readonly score: number;
}

/** Intersection over union (IoU), 0 to 1; 0 if both boxes are empty. */
export function boxIou(a: Corners, b: Corners): number {
  const overlap =
    Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) *
    Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  const union = area(a) + area(b) - overlap;
  return union > 0 ? overlap / union : 0;
}

/** Greedy NMS: boxes by descending score, without those whose IoU with a better one exceeds `iou`. */
export function suppress<T extends ScoredBox>(boxes: readonly T[], iou: number): T[] {
  const kept: T[] = [];
  for (const candidate of boxes.toSorted((a, b) => b.score - a.score))
    if (kept.every((better) => boxIou(better.box, candidate.box) <= iou)) kept.push(candidate);
  return kept;
}

/** The box of this size around a center. */
export const boxAround = (x: number, y: number, width: number, height: number): Corners => [
  x - width / 2,
  y - height / 2,
  x + width / 2,
  y + height / 2,
];

/** The part of a box that lies inside a picture; undefined if a side has less than a pixel left. */
export function clipBox(box: Corners, width: number, height: number): Corners | undefined {
  const clipped: Corners = [
    clamp(box[0], width),
    clamp(box[1], height),
    clamp(box[2], width),
    clamp(box[3], height),
  ];
  return clipped[2] - clipped[0] >= 1 && clipped[3] - clipped[1] >= 1 ? clipped : undefined;
}

/** The place of a region in a picture, in the pixels of the picture at another size. */
export function scaledRegion({ box, points }: Region, from: Size, to: Size): Region {
  const [x, y] = [to.width / from.width, to.height / from.height];
  if (box === undefined) return { points: points.map((one) => ({ ...one, x: one.x * x, y: one.y * y })) };
  const [x1, y1, x2, y2] = box;
  return { box: [x1 * x, y1 * y, x2 * x, y2 * y] };
}

function clamp(value: number, limit: number): number {
  return Math.min(limit, Math.max(0, value));
}

function area(box: Corners): number {
  return Math.max(0, box[2] - box[0]) * Math.max(0, box[3] - box[1]);
}
