import sharp from "sharp";
import type { Canvas, Rect } from "../../../inference-container/src/preview/canvas.ts";
import type { Rgb } from "../../../inference-container/src/preview/colour.ts";
import type { Mask } from "./measures/mask.ts";
import type { Miss } from "./worst-misses.ts";

/** The most pixels of a tile. */
export const TILE = { width: 340, height: 260 };
/** How much of its surroundings a tile shows, as a share of the object's longer side. */
const MARGIN = 0.35;
/** The least pixels of the picture across a tile, so that a small object is not blown up beyond recognition. */
const LEAST_SHOWN = 120;

/** The labelled object, and what was found. */
const LABELLED: Rgb = [40, 200, 90];
const FOUND: Rgb = [255, 110, 0];

/**
 * Draws the part of a picture around a miss, with the labelled object's outline in green and the find's in orange.
 * @param path the picture's file
 */
export async function drawTile(path: string, { kind, mask, nearest }: Miss): Promise<Canvas> {
  const shown = shownPart(mask);
  const scale = Math.min(TILE.width / shown.width, TILE.height / shown.height);
  const width = Math.min(TILE.width, Math.round(shown.width * scale));
  const height = Math.min(TILE.height, Math.round(shown.height * scale));
  const rgb = await sharp(path)
    .autoOrient()
    .flatten({ background: "#ffffff" })
    .toColourspace("srgb")
    .extract(shown)
    .resize(width, height, { fit: "fill" })
    .raw({ depth: "uchar" })
    .toBuffer();
  const tile: Canvas = { width, height, rgb };
  const [own, other] = kind === "missed" ? [LABELLED, FOUND] : [FOUND, LABELLED];
  if (nearest !== null) outline(tile, nearest, shown, other);
  outline(tile, mask, shown, own);
  return tile;
}

/** The part of the picture around a mask, in the form of a tile where the picture allows it. */
function shownPart(mask: Mask): Rect {
  let [left, top, right, bottom] = [mask.width, mask.height, 0, 0];
  for (let i = 0; i < mask.spans.length; i += 2) {
    const from = mask.spans[i] ?? 0;
    const last = (mask.spans[i + 1] ?? 0) - 1;
    const [first, end] = [Math.floor(from / mask.height), Math.floor(last / mask.height)];
    left = Math.min(left, first);
    right = Math.max(right, end + 1);
    // A span over several columns reaches from top to bottom.
    top = Math.min(top, first === end ? from % mask.height : 0);
    bottom = Math.max(bottom, first === end ? (last % mask.height) + 1 : mask.height);
  }
  const margin = MARGIN * Math.max(right - left, bottom - top);
  const across = Math.max(
    LEAST_SHOWN,
    right - left + 2 * margin,
    ((bottom - top + 2 * margin) * TILE.width) / TILE.height,
  );
  const width = Math.min(mask.width, Math.round(across));
  const height = Math.min(mask.height, Math.round((across * TILE.height) / TILE.width));
  return {
    left: place(left, right, width, mask.width),
    top: place(top, bottom, height, mask.height),
    width,
    height,
  };
}

/** Where a length of the whole begins so that [from, to) is in its middle, as far as that is possible. */
function place(from: number, to: number, length: number, whole: number): number {
  return Math.min(Math.max(Math.round((from + to - length) / 2), 0), whole - length);
}

/** Draws the pixels of a mask that have one outside it within two pixels of the tile. */
function outline({ width, height, rgb }: Canvas, mask: Mask, shown: Rect, colour: Rgb): void {
  const inside = new Uint8Array(width * height);
  const set = new Uint8Array(mask.width * mask.height);
  for (let i = 0; i < mask.spans.length; i += 2) set.fill(1, mask.spans[i], mask.spans[i + 1]);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const column = shown.left + Math.floor(((x + 0.5) * shown.width) / width);
      const row = shown.top + Math.floor(((y + 0.5) * shown.height) / height);
      inside[y * width + x] = set[column * mask.height + row] ?? 0;
    }
  const isInside = (x: number, y: number): boolean =>
    x < 0 || y < 0 || x >= width || y >= height || inside[y * width + x] === 1;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (inside[y * width + x] === 0) continue;
      if (isInside(x - 2, y) && isInside(x + 2, y) && isInside(x, y - 2) && isInside(x, y + 2)) continue;
      rgb.set(colour, 3 * (y * width + x));
    }
}
