import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import sharp from "sharp";
import { type Canvas, paint, type Rect } from "../../inference-container/src/preview/canvas.ts";
import type { Rgb } from "../../inference-container/src/preview/colour.ts";
import { letter, shorten } from "../../inference-container/src/preview/lettering.ts";
import { boundsOf } from "./measures/bounds.ts";
import type { Mask } from "./measures/mask.ts";
import type { SetOnDisk } from "./read-set.ts";
import type { Miss } from "./worst-misses.ts";

const COLUMNS = 4;
const GAP = 12;
const TEXT = 13;
const LINE = TEXT + 6;
const LONGEST_LINE = 44;
const PAPER: Rgb = [250, 250, 250];
const INK: Rgb = [30, 30, 30];
/** The most pixels of a tile. */
const TILE = { width: 340, height: 260 };
/** The surroundings in a tile, as a share of the object's longer side. */
const MARGIN = 0.35;
/** The least pixels of the picture across a tile: a small object must stay recognizable. */
const LEAST_SHOWN = 120;

/** The colors of the labeled object and of the detection. */
const LABELLED: Rgb = [40, 200, 90];
const FOUND: Rgb = [255, 110, 0];

/**
 * Writes a PNG with a tile for each miss: a part of the picture with the labeled object's outline in green and the
 * find's in orange. Writes nothing if there is no miss.
 */
export async function writeSheet(path: string, misses: readonly Miss[], onDisk: SetOnDisk): Promise<void> {
  const tiles: Tile[] = [];
  for (const miss of misses) {
    const file = onDisk.set.pictures[miss.picture]?.file ?? "";
    tiles.push({ canvas: await drawMiss(onDisk.pathOf(file), miss), caption: [...miss.caption, file] });
  }
  await writeTiles(path, tiles);
}

/** A part of a picture, and up to three lines below it. */
export interface Tile {
  readonly canvas: Canvas;
  readonly caption: readonly string[];
}

/** Writes tiles as one PNG, or nothing if there is none. */
export async function writeTiles(path: string, tiles: readonly Tile[]): Promise<void> {
  if (tiles.length === 0) return;
  const cell = { width: TILE.width + GAP, height: TILE.height + 3 * LINE + GAP };
  const columns = Math.min(COLUMNS, tiles.length);
  const width = columns * cell.width + GAP;
  const height = Math.ceil(tiles.length / columns) * cell.height + GAP;
  const sheet: Canvas = { width, height, rgb: new Uint8Array(3 * width * height).fill(PAPER[0]) };
  for (const [index, { canvas, caption }] of tiles.entries()) {
    const left = GAP + (index % columns) * cell.width;
    const top = GAP + Math.floor(index / columns) * cell.height;
    copy(canvas, sheet, left, top);
    for (const [line, text] of caption.entries()) {
      const { coverage, ...size } = await letter(shorten(text, LONGEST_LINE), TEXT);
      paint(sheet, coverage, { left, top: top + TILE.height + 4 + line * LINE, ...size }, INK);
    }
  }
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.part`;
  try {
    await sharp(sheet.rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toFile(part);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

function copy(tile: Canvas, sheet: Canvas, left: number, top: number): void {
  for (let y = 0; y < tile.height; y++)
    sheet.rgb.set(
      tile.rgb.subarray(3 * y * tile.width, 3 * (y + 1) * tile.width),
      3 * ((top + y) * sheet.width + left),
    );
}

/** Draws the part of a picture around a miss. @param path the picture's file */
function drawMiss(path: string, { kind, mask, nearest }: Miss): Promise<Canvas> {
  const [labelled, found] = kind === "missed" ? [mask, nearest] : [nearest, mask];
  return drawTile(path, shownPart(mask), labelled, found);
}

/**
 * Draws a part of a picture, with the labeled object's outline in green and the detection's in orange.
 * @param path the picture's file
 */
export async function drawTile(
  path: string,
  shown: Rect,
  labelled: Mask | null,
  found: Mask | null,
): Promise<Canvas> {
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
  if (found !== null) outline(tile, found, shown, FOUND);
  if (labelled !== null) outline(tile, labelled, shown, LABELLED);
  return tile;
}

/** The part of the picture around a mask, in the form of a tile where the picture allows it. */
function shownPart(mask: Mask): Rect {
  const { left, top, right, bottom } = boundsOf(mask);
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

/** Start of a window with [from, to) in its middle, as far as the whole allows. */
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
