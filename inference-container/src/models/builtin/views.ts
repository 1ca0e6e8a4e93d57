/** The parts of a picture for the detector: small objects are large enough for it only in a part. */
import type { Corners, Size } from "@segmentation/masks";
import { boxIou } from "../box.ts";
import { type View, wholeView } from "../image-tensor.ts";
import type { Labelled } from "../labels/model.ts";
import type { Views } from "./manifest.ts";

/**
 * The whole picture, its mirror image, and a grid of overlapping parts (slicing aided hyper inference: Akyon et al.,
 * 2022). A picture no larger than the detector's input has no part that would show more.
 */
export function viewsOf(picture: Size, input: Size, { mirrored, parts, overlap }: Views): View[] {
  const whole = wholeView(picture);
  const views = mirrored ? [whole, { ...whole, mirrored: true }] : [whole];
  if (picture.width <= input.width && picture.height <= input.height) return views;
  const [long, short] = [spans(parts[0], overlap), spans(parts[1], overlap)];
  const [across, down] = picture.width >= picture.height ? [long, short] : [short, long];
  const { width, height } = picture;
  for (const [top, bottom] of down)
    for (const [left, right] of across) {
      const [x, y] = [Math.floor(left * width), Math.floor(top * height)];
      const size = {
        width: Math.min(width, Math.ceil(right * width)) - x,
        height: Math.min(height, Math.ceil(bottom * height)) - y,
      };
      if (size.width < width || size.height < height) views.push({ x, y, ...size, mirrored: false });
    }
  return views;
}

/**
 * True if a box ends at an edge of its view inside the picture, or within `margin` of the view's side. Its object may
 * continue there, and another view shows it whole.
 */
export function isCutOff([x1, y1, x2, y2]: Corners, view: View, picture: Size, margin: number): boolean {
  const [across, down] = [margin * view.width, margin * view.height];
  const [right, bottom] = [view.x + view.width, view.y + view.height];
  return (
    (view.x > 0 && x1 < view.x + across) ||
    (view.y > 0 && y1 < view.y + down) ||
    (right < picture.width && x2 > right - across) ||
    (bottom < picture.height && y2 > bottom - down)
  );
}

/** `count` equal parts of 0 to 1, each sharing `overlap` of its length with the next. */
function spans(count: number, overlap: number): [number, number][] {
  const length = 1 / (count - (count - 1) * overlap);
  const step = length * (1 - overlap);
  return Array.from({ length: count }, (_, i) => [i * step, i * step + length]);
}

/**
 * Merges the best detection with all of its label that overlap it by more than `iou`. The result has its score, and the
 * mean of their boxes weighted by score. That box is closer to the object than each of them (weighted boxes fusion:
 * Solovyev et al., 2021). Best first.
 */
export function mergeViews(detections: readonly Labelled[], iou: number): Labelled[] {
  const merged: { readonly best: Labelled; readonly members: Labelled[] }[] = [];
  for (const detection of detections.toSorted((a, b) => b.score - a.score)) {
    const same = merged.find(
      ({ best }) => best.label === detection.label && boxIou(best.box, detection.box) > iou,
    );
    if (same === undefined) merged.push({ best: detection, members: [detection] });
    else same.members.push(detection);
  }
  return merged.map(({ best, members }) => ({ label: best.label, score: best.score, box: meanBox(members) }));
}

function meanBox(members: readonly Labelled[]): Corners {
  const total = members.reduce((sum, { score }) => sum + score, 0);
  const side = (i: 0 | 1 | 2 | 3): number =>
    members.reduce((sum, { score, box }) => sum + score * box[i], 0) / total;
  return [side(0), side(1), side(2), side(3)];
}
