/** Merges what several views of one picture show. */
import { boxIou, type Box } from "../box.ts";
import type { Detection } from "./detection.ts";

/**
 * One detection for all that overlap the best of them by more than `iou` and have its label: with its score, and the
 * mean of their boxes by score, which lies closer to the object than any of them (weighted boxes fusion: Solovyev et
 * al., 2021). Best first.
 */
export function mergeViews(detections: readonly Detection[], iou: number): Detection[] {
  const merged: { readonly best: Detection; readonly members: Detection[] }[] = [];
  for (const detection of detections.toSorted((a, b) => b.score - a.score)) {
    const same = merged.find(
      ({ best }) => best.label === detection.label && boxIou(best.box, detection.box) > iou,
    );
    if (same === undefined) merged.push({ best: detection, members: [detection] });
    else same.members.push(detection);
  }
  return merged.map(({ best, members }) => ({ label: best.label, score: best.score, box: meanBox(members) }));
}

function meanBox(members: readonly Detection[]): Box {
  const total = members.reduce((sum, { score }) => sum + score, 0);
  const side = (i: 0 | 1 | 2 | 3): number =>
    members.reduce((sum, { score, box }) => sum + score * box[i], 0) / total;
  return [side(0), side(1), side(2), side(3)];
}
