/** The views of a picture that the detector looks at: small objects are large enough for it in a part of the picture. */
import type { Box } from "../box.ts";
import type { Size } from "../../size.ts";
import { wholeView, type View } from "../image-tensor.ts";
import type { Views } from "./manifest.ts";

/**
 * The whole picture, its mirror image, and a grid of overlapping parts (slicing aided hyper inference: Akyon et al.,
 * 2022). A picture without more pixels than the detector's input has no part in which more could be seen.
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
 * Whether a box ends at an edge of its view inside the picture, or within `margin` of the view's side: what it shows may go
 * on there, and another view shows it whole.
 */
export function isCutOff([x1, y1, x2, y2]: Box, view: View, picture: Size, margin: number): boolean {
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
