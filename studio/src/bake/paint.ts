import { decodeMask, fromBelow } from "../viewer/masks/packed.ts";
import { coverageOf, type Scaling, tinted } from "./coverage.ts";
import type { BakedMask } from "./types.ts";

type Size = Scaling["picture"];

/** A mask's edge is one pixel wide per this many pixels of the drawing's longer side, */
const EDGE_SHARE = 600;
/** but never thinner than this, so that it is also seen where a drawing is shown smaller. */
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

/**
 * Draws masks on their picture, or alone where there is none that the browser can read.
 * @param longest of the drawing's sides, in pixels; null for the picture's own size
 */
export async function paintPicture(
  original: Blob | null,
  masks: readonly BakedMask[],
  longest: number | null,
): Promise<OffscreenCanvas> {
  const [first] = masks;
  const bitmap = original === null ? null : await openPicture(original);
  const picture = first === undefined ? bitmap : await sizeOf(first.png);
  if (picture === null) throw new Error("This browser can read neither a picture nor a mask.");
  const scale = Math.min(1, (longest ?? Infinity) / Math.max(picture.width, picture.height));
  const drawing = {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
  const { canvas, context } = canvasOf(drawing);
  context.imageSmoothingQuality = "high";
  if (bitmap !== null) context.drawImage(bitmap, 0, 0, drawing.width, drawing.height);
  bitmap?.close();
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
