/** Compares the service's masks, from logits to PNG, with sharp doing the same. */
import sharp from "sharp";
import { encodeMaskPng } from "../../../inference-container/src/masks/png/mask-png.ts";
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
/** Sharp resizes 16-bit greys; logits up to this value are mapped onto them. */
const LARGEST_LOGIT = 16;
/** The share of pixels, all next to the outline, that may differ if sharp resizes. */
const OUTLINE_SHARE = 2e-3;

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
  /** Sharp from the logits: resize, threshold, PNG with the fastest deflate. */
  readonly resized: number;
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
interface Ways extends Readonly<Record<"png" | "fastPng" | "resized", Way>> {
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
    resized: () => sharpFromLogits(grid, width, height),
  };
  const exact = [ours(ways).png, await ways.png(), await ways.fastPng()];
  await assertSame(grey, exact, await ways.resized());
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
    resized: (await timed(ways.resized)).ms,
    bytes: own.png.length,
    pngBytes: png.png.length,
  };
}

function ours({ grid, width, height }: Ways): { ms: number; rasteriseMs: number; png: Buffer } {
  const begun = performance.now();
  const runs = findRuns(grid, width, height, MASK_THRESHOLD);
  const found = performance.now();
  const png = encodeMaskPng(runs, "cat");
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

/** Encodes a mask with sharp alone. It uses 16-bit greys, because sharp reads floats as colours, and its threshold then sees only the upper 8 bits. */
function sharpFromLogits(grid: LogitGrid, width: number, height: number): Promise<Buffer> {
  const greys = Uint16Array.from(grid.logits, (logit) =>
    Math.round(Math.min(Math.max((1 + logit / LARGEST_LOGIT) * 32_768, 0), 65_535)),
  );
  return sharp(greys, {
    raw: { width: grid.width, height: grid.height, channels: 1 },
    limitInputPixels: false,
  })
    .toColourspace("grey16")
    .resize(width, height, { fit: "fill", kernel: "linear" })
    .threshold(128)
    .toColourspace("b-w")
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** @throws Failure if a picture shows a different mask; sharp's own resize may draw the outline slightly differently */
async function assertSame(grey: Buffer, exact: readonly Buffer[], rounded: Buffer): Promise<void> {
  for (const png of [...exact, rounded]) {
    const shown = await sharp(png, { limitInputPixels: false }).toColourspace("b-w").raw().toBuffer();
    let different = Math.abs(shown.length - grey.length);
    for (let at = 0; at < grey.length; at += 1) if (shown[at] !== grey[at]) different += 1;
    if (different > (png === rounded ? OUTLINE_SHARE * grey.length : 0)) {
      throw new Failure(`The encoders disagree on ${different} of a mask's ${grey.length} pixels.`);
    }
  }
}
