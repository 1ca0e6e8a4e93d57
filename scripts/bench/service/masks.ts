/** Compares the service's masks, from logits to PNG, with the plain way, which computes every pixel, and with sharp. */
import { constants, deflateSync } from "node:zlib";
import sharp from "sharp";
import { encodeMaskPng } from "../../../inference-container/src/masks/mask-png.ts";
import type { RowRuns } from "../../../inference-container/src/masks/runs/row-runs.ts";
import { findRuns } from "../../../inference-container/src/masks/runs/find-runs.ts";
import type { LogitGrid } from "../../../inference-container/src/models/model.ts";
import { Failure } from "../../shared/command-line.ts";
import { wavyEllipse } from "./masks-grid.ts";

const MEGAPIXELS = [1, 12, 50] as const;
/** Our encoder is JavaScript, which a service has compiled after some hundred masks; sharp is compiled in advance. */
const OUR_WARM_UP = 400;
const WARM_UP = 5;
const MASK_THRESHOLD = 0.5;

/** One mask, encoded in every way. Milliseconds and bytes. */
export interface MaskRun {
  readonly megapixels: number;
  /** Our encoder, from the logits. */
  readonly ours: number;
  /** The part of `ours` that finds the runs of set pixels. */
  readonly rasterise: number;
  /** Sharp's PNG of an existing grey buffer: with defaults, and with the fastest deflate. */
  readonly png: number;
  readonly fastPng: number;
  /** From the logits, pixel by pixel, to the same compressed scanlines. */
  readonly plain: number;
  readonly bytes: number;
  readonly pngBytes: number;
}

/** Measures each way `count` times, in turns, for each size, after a warm-up that is not counted. */
export async function measureMasks(count: number, signal: AbortSignal): Promise<MaskRun[]> {
  const runs: MaskRun[] = [];
  for (const megapixels of MEGAPIXELS) {
    const ways = await waysOf(megapixels);
    for (let n = 0; n < OUR_WARM_UP; n += 1) ours(ways);
    for (let n = -WARM_UP; n < count; n += 1) {
      signal.throwIfAborted();
      const run = { megapixels, ...(await measureOnce(ways)) };
      if (n >= 0) runs.push(run);
    }
    console.error(`masks of ${megapixels} megapixels`);
  }
  return runs;
}

type Way = () => Promise<Buffer>;
interface Ways extends Readonly<Record<"png" | "fastPng", Way>> {
  readonly grid: LogitGrid;
  readonly width: number;
  readonly height: number;
}

/** @throws Failure if the ways yield different masks */
async function waysOf(megapixels: number): Promise<Ways> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const grid = wavyEllipse();
  const grey = toGrey(findRuns(grid, width, height, MASK_THRESHOLD));
  const encode = (compressionLevel: number) => () =>
    sharp(grey, { raw: { width, height, channels: 1 }, limitInputPixels: false })
      .toColourspace("b-w")
      .png({ compressionLevel })
      .toBuffer();
  const ways = {
    grid,
    width,
    height,
    png: encode(6),
    fastPng: encode(1),
  };
  await assertSame(grey, [ours(ways).png, await ways.png(), await ways.fastPng()]);
  const bits = plainScanlines(ways);
  const length = 1 + Math.ceil(width / 8);
  const isSet = (i: number): boolean => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return ((bits[y * length + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) > 0;
  };
  if (grey.some((value, i) => value > 0 !== isSet(i)))
    throw new Failure("The plain way disagrees on a mask's pixels.");
  return ways;
}

async function measureOnce(ways: Ways): Promise<Omit<MaskRun, "megapixels">> {
  const own = ours(ways);
  const png = await timed(ways.png);
  return {
    ours: own.ms,
    rasterise: own.rasteriseMs,
    png: png.ms,
    fastPng: (await timed(ways.fastPng)).ms,
    plain: plainMs(ways),
    bytes: own.png.length,
    pngBytes: png.png.length,
  };
}

function ours({ grid, width, height }: Ways): { ms: number; rasteriseMs: number; png: Buffer } {
  const begun = performance.now();
  const runs = findRuns(grid, width, height, MASK_THRESHOLD);
  const found = performance.now();
  const png = encodeMaskPng(runs, { keyword: "prompt", text: "cat" });
  return { ms: performance.now() - begun, rasteriseMs: found - begun, png };
}

async function timed(encode: Way): Promise<{ ms: number; png: Buffer }> {
  const begun = performance.now();
  const png = await encode();
  return { ms: performance.now() - begun, png };
}

/** A grey buffer with one byte per pixel: 255 inside the mask, 0 outside. */
function toGrey({ width, height, starts, edges }: RowRuns): Buffer {
  const grey = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    const row = grey.subarray(y * width, (y + 1) * width);
    const end = starts[y + 1] ?? 0;
    for (let at = starts[y] ?? 0; at < end; at += 2) row.fill(255, edges[at], edges[at + 1]);
  }
  return grey;
}

/** The mask's scanlines by its definition: the bilinearly resized logit of each pixel, compared with the threshold's, which is 0. */
function plainScanlines({ grid, width, height }: Ways): Buffer {
  const length = 1 + Math.ceil(width / 8);
  const bytes = Buffer.alloc(length * height);
  const sources = Array.from({ length: width }, (_, x) => sourceOf(x, grid.width, width));
  const index = Int32Array.from(sources, (source) => source.index);
  const next = Int32Array.from(sources, (source) => source.next);
  const fraction = Float64Array.from(sources, (source) => source.fraction);
  const { logits } = grid;
  for (let y = 0; y < height; y += 1) {
    const rows = sourceOf(y, grid.height, height);
    const [top, bottom, down] = [rows.index * grid.width, rows.next * grid.width, rows.fraction];
    for (let x = 0; x < width; x += 1) {
      const [i, j] = [index[x] ?? 0, next[x] ?? 0];
      const a = logits[top + i] ?? 0;
      const b = logits[top + j] ?? 0;
      const left = a + ((logits[bottom + i] ?? 0) - a) * down;
      const right = b + ((logits[bottom + j] ?? 0) - b) * down;
      const at = y * length + 1 + (x >> 3);
      if (left + (right - left) * (fraction[x] ?? 0) > 0) bytes[at] = (bytes[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return bytes;
}

/** Half-pixel centres, clamped at the edges. */
function sourceOf(i: number, from: number, to: number): { index: number; next: number; fraction: number } {
  const position = Math.max(0, Math.min(from - 1, (i + 0.5) * (from / to) - 0.5));
  const index = Math.trunc(position);
  return { index, next: Math.min(index + 1, from - 1), fraction: position - index };
}

function plainMs(ways: Ways): number {
  const begun = performance.now();
  deflateSync(plainScanlines(ways), { level: 1, strategy: constants.Z_RLE });
  return performance.now() - begun;
}

/** @throws Failure if a picture shows a different mask */
async function assertSame(grey: Buffer, pngs: readonly Buffer[]): Promise<void> {
  for (const png of pngs) {
    const shown = await sharp(png, { limitInputPixels: false }).toColourspace("b-w").raw().toBuffer();
    if (!shown.equals(grey)) throw new Failure("The encoders disagree on a mask's pixels.");
  }
}
