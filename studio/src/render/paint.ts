import { decodeMask, fromBelow } from "../viewer/masks/packed.ts";
import { MeanColour } from "../viewer/oklab.ts";
import { coverageOf, type Scaling, tinted } from "./coverage.ts";
import type { Under } from "./messages.ts";
import type { TintedMask } from "./types.ts";

type Size = Scaling["picture"];

/** A mask's edge is one pixel wide per this many pixels of the drawing's longer side, */
const EDGE_SHARE = 600;
/** but never thinner than this, to be visible where a drawing is shown smaller. */
const THINNEST = 3;

/** The size that a PNG says in its first chunk (W3C PNG, third edition, 11.2.1). */
async function sizeOf(png: Blob): Promise<Size> {
  const header = new DataView(await png.slice(0, 24).arrayBuffer());
  return { width: header.getUint32(16), height: header.getUint32(20) };
}

/** A canvas that can be drawn on. @throws Error if the browser gives none, which it does for sizes beyond its limits */
export function canvasOf({ width, height }: Size) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error(`This browser can’t draw ${width} × ${height} pixels.`);
  return { canvas, context };
}

/** A picture as viewers show it; null if the browser can't read it. */
export const openPicture = async (original: Blob): Promise<ImageBitmap | null> =>
  await createImageBitmap(original).catch(() => null);

/** Finds the size of a picture, in pixels: that of a mask, or else of the original; null if there is neither. */
export async function sizeOfPicture(mask: Blob | null, original: Blob | null): Promise<Size | null> {
  if (mask !== null) return await sizeOf(mask);
  const bitmap = original === null ? null : await openPicture(original);
  if (bitmap === null) return null;
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}

/** A picture as it was drawn, with its sizes. */
interface Drawn extends ReturnType<typeof canvasOf>, Scaling {}

/**
 * Draws a picture; nothing where there is none that the browser can read, in the size of one of its masks.
 * @param longest of the drawing's sides, in pixels; null for the picture's own size
 */
async function drawPicture(
  original: Blob | null,
  mask: Blob | undefined,
  longest: number | null,
): Promise<Drawn> {
  const bitmap = original === null ? null : await openPicture(original);
  const picture = mask === undefined ? bitmap : await sizeOf(mask);
  if (picture === null) throw new Error("This browser can read neither a picture nor a mask.");
  const scale = Math.min(1, (longest ?? Infinity) / Math.max(picture.width, picture.height));
  const drawing = {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
  const { canvas, context } = canvasOf(drawing);
  context.imageSmoothingQuality = "high";
  if (bitmap !== null) context.drawImage(bitmap, 0, 0, drawing.width, drawing.height);
  const size = { width: picture.width, height: picture.height };
  bitmap?.close();
  return { canvas, context, picture: size, drawing };
}

/**
 * Draws masks on their picture, or alone where there is none that the browser can read.
 * @param longest as of `drawPicture`
 */
export async function paintPicture(
  original: Blob | null,
  masks: readonly TintedMask[],
  longest: number | null,
): Promise<OffscreenCanvas> {
  const { canvas, context, picture, drawing } = await drawPicture(original, masks[0]?.png, longest);
  const decoded = await Promise.all(
    masks.map(async ({ png, rgb }) => ({ mask: await decodeMask(png), rgb })),
  );
  const line = Math.max(THINNEST, Math.round(Math.max(drawing.width, drawing.height) / EDGE_SHARE));
  for (const { mask, rgb } of decoded.toSorted((a, b) => fromBelow(a.mask, b.mask))) {
    const coverage = coverageOf(mask, { picture, drawing });
    if (coverage.width === 0) continue;
    const layer = canvasOf(coverage);
    const pixels = tinted(coverage, rgb, line);
    layer.context.putImageData(new ImageData(pixels, coverage.width, coverage.height), 0, 0);
    context.drawImage(layer.canvas, coverage.x, coverage.y);
  }
  return canvas;
}

/** The longest side of the drawing by which the colors under masks are known, in pixels. */
const SMALL = 160;

/** The mean color of a picture under each of its masks; null if there is none, as of a picture that the browser can't read. */
export async function coloursUnder(original: Blob, masks: readonly Blob[]): Promise<readonly Under[]> {
  const { context, picture, drawing } = await drawPicture(original, masks[0], SMALL);
  const { data } = context.getImageData(0, 0, drawing.width, drawing.height);
  return await Promise.all(
    masks.map(async (png) => {
      const { x, y, width, height, alpha } = coverageOf(await decodeMask(png), { picture, drawing });
      const mean = new MeanColour();
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const at = ((y + row) * drawing.width + x + column) * 4;
          const [red = 0, green = 0, blue = 0, opacity = 0] = data.subarray(at, at + 4);
          // Where nothing was drawn there is no colour.
          mean.add(red, green, blue, opacity * (alpha[row * width + column] ?? 0));
        }
      return mean.rgb;
    }),
  );
}
