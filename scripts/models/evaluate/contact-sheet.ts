import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import sharp from "sharp";
import { type Canvas, paint } from "../../../inference-container/src/preview/canvas.ts";
import type { Rgb } from "../../../inference-container/src/preview/colour.ts";
import { letter, shorten } from "../../../inference-container/src/preview/lettering.ts";
import type { SetOnDisk } from "./read-set.ts";
import { drawTile, TILE } from "./tile.ts";
import type { Miss } from "./worst-misses.ts";

const COLUMNS = 4;
const GAP = 12;
const TEXT = 13;
const LINE = TEXT + 6;
const LONGEST_LINE = 44;
const PAPER: Rgb = [250, 250, 250];
const INK: Rgb = [30, 30, 30];
/**
 * Writes a PNG with a tile for each miss: a part of the picture with the labelled object's outline in green and the
 * find's in orange. Nothing is written if there is no miss.
 */
export async function writeSheet(path: string, misses: readonly Miss[], onDisk: SetOnDisk): Promise<void> {
  if (misses.length === 0) return;
  const cell = { width: TILE.width + GAP, height: TILE.height + 3 * LINE + GAP };
  const columns = Math.min(COLUMNS, misses.length);
  const width = columns * cell.width + GAP;
  const height = Math.ceil(misses.length / columns) * cell.height + GAP;
  const sheet: Canvas = { width, height, rgb: new Uint8Array(3 * width * height).fill(PAPER[0]) };
  for (const [index, miss] of misses.entries()) {
    const left = GAP + (index % columns) * cell.width;
    const top = GAP + Math.floor(index / columns) * cell.height;
    const file = onDisk.set.pictures[miss.picture]?.file ?? "";
    copy(await drawTile(onDisk.pathOf(file), miss), sheet, left, top);
    for (const [line, text] of [...miss.caption, file].entries()) {
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
