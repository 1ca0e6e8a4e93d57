/** The service's masks from logits to PNG, beside what sharp takes for the same. */
import sharp from "sharp";
import type { BitMask } from "../../../inference-container/src/masks/bit-mask.ts";
import { encodeMaskPng } from "../../../inference-container/src/masks/png.ts";
import { rasterise } from "../../../inference-container/src/masks/rasterise.ts";
import type { LogitGrid } from "../../../inference-container/src/models/model.ts";
import { Failure } from "../../shared/command-line.ts";
import { loadModel } from "../video/stand-in-model.ts";

const MEGAPIXELS = [1, 12, 50] as const;
const WARM_UP = 5;
const MASK_THRESHOLD = 0.5;
/** Sharp resizes 16-bit greys, on which logits up to this are laid out. */
const LARGEST_LOGIT = 16;
/** So many of the pixels, all beside the outline, may change sides where sharp resizes. */
const OUTLINE_SHARE = 2e-3;

/** One mask by every way. Milliseconds and bytes. */
export interface MaskRun {
  readonly megapixels: number;
  /** Ours, from the logits. */
  readonly ours: number;
  /** Of it the rasterising. */
  readonly rasterise: number;
  /** Sharp's PNG of a grey buffer that is there already: as it is by default, and with the fastest deflate. */
  readonly png: number;
  readonly fastPng: number;
  /** Sharp from the logits: resize, threshold, PNG with the fastest deflate. */
  readonly resized: number;
  readonly bytes: number;
  readonly pngBytes: number;
}

/** Each way so often, in turns, for each size; before that a few times uncounted, as the service would be warm. */
export async function measureMasks(count: number, signal: AbortSignal): Promise<MaskRun[]> {
  const runs: MaskRun[] = [];
  for (const megapixels of MEGAPIXELS) {
    const ways = await waysOf(megapixels);
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
type Ways = Readonly<Record<"rasterise" | "ours" | "png" | "fastPng" | "resized", Way>>;

/** @throws Failure where they don't give the same mask */
async function waysOf(megapixels: number): Promise<Ways> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const grid = await makeGrid();
  const rasterised = () => rasterise(grid, width, height, MASK_THRESHOLD);
  const grey = toGrey(rasterised());
  const encode = (compressionLevel: number) => () =>
    sharp(grey, { raw: { width, height, channels: 1 }, limitInputPixels: false })
      .toColourspace("b-w")
      .png({ compressionLevel })
      .toBuffer();
  const ways = {
    rasterise: () => Promise.resolve(Buffer.from(rasterised().bits.buffer)),
    ours: () => encodeMaskPng(rasterised(), "cat"),
    png: encode(6),
    fastPng: encode(1),
    resized: () => sharpFromLogits(grid, width, height),
  };
  const exact = [await ways.ours(), await ways.png(), await ways.fastPng()];
  await assertSame(grey, exact, await ways.resized());
  return ways;
}

async function measureOnce(ways: Ways): Promise<Omit<MaskRun, "megapixels">> {
  const ours = await timed(ways.ours);
  const png = await timed(ways.png);
  return {
    ours: ours.ms,
    rasterise: (await timed(ways.rasterise)).ms,
    png: png.ms,
    fastPng: (await timed(ways.fastPng)).ms,
    resized: (await timed(ways.resized)).ms,
    bytes: ours.png.length,
    pngBytes: png.png.length,
  };
}

async function timed(encode: Way): Promise<{ ms: number; png: Buffer }> {
  const begun = performance.now();
  const png = await encode();
  return { ms: performance.now() - begun, png };
}

/** The stand-in model's larger object: a wavy ellipse over a third of the picture. */
async function makeGrid(): Promise<LogitGrid> {
  const model = await loadModel();
  const picture = { width: 4, height: 3, rgb: new Uint8Array(36), contentHash: null };
  const found = await model.segment(picture, { prompts: ["0 ms"], threshold: 0, withFaint: false });
  const mask = found.instances[0]?.mask;
  if (mask === undefined) throw new Error("The stand-in model found nothing.");
  return mask;
}

/** A byte a pixel: 255 inside. */
function toGrey({ width, height, stride, bits }: BitMask): Buffer {
  const grey = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const byte = bits[y * stride + (x >> 3)] ?? 0;
      if ((byte & (0x80 >> (x & 7))) !== 0) grey[y * width + x] = 255;
    }
  }
  return grey;
}

/** As sharp can do it: 16-bit greys, since it reads floats as colours, of which its threshold sees the upper 8 bits. */
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

/** @throws Failure where a picture shows another mask; sharp's own resize may draw the outline otherwise */
async function assertSame(grey: Buffer, exact: readonly Buffer[], rounded: Buffer): Promise<void> {
  for (const png of [...exact, rounded]) {
    const shown = await sharp(png, { limitInputPixels: false }).toColourspace("b-w").raw().toBuffer();
    let different = Math.abs(shown.length - grey.length);
    for (let at = 0; at < grey.length; at += 1) if (shown[at] !== grey[at]) different += 1;
    if (different > (png === rounded ? OUTLINE_SHARE * grey.length : 0)) {
      throw new Failure(`Of ${grey.length} pixels of a mask ${different} differ.`);
    }
  }
}
