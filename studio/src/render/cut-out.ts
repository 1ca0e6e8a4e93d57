import { Mask, readMaskPng } from "segmentation-client/masks";
import { featheredAt } from "./feather.ts";
import { canvasOf, openPicture } from "./paint.ts";
import type { CutOutStyle } from "./types.ts";

/**
 * Cuts objects out of their picture, each as PNG. Where the picture itself is transparent it lies on white, as in the service's cut-outs.
 * @throws Error if the browser can't read the picture, or shows it in another size than the service
 */
export async function cutOut(original: Blob, masks: readonly Blob[], style: CutOutStyle): Promise<Blob[]> {
  const bitmap = await openPicture(original);
  if (bitmap === null)
    throw new Error("This browser can’t read the picture. Run the job again with cut-outs.");
  const files: Blob[] = [];
  for (const png of masks) {
    const mask = new Mask(0, 1, png, await readMaskPng(new Uint8Array(await png.arrayBuffer())));
    if (mask.width !== bitmap.width || mask.height !== bitmap.height)
      throw new Error("The picture in this browser is not the one that the masks were made from.");
    files.push(await cutOne(bitmap, mask, style));
  }
  bitmap.close();
  return files;
}

async function cutOne(bitmap: ImageBitmap, mask: Mask, style: CutOutStyle): Promise<Blob> {
  const { data } = await mask.bitmap();
  const { width: across, height: down } = mask;
  const [left, top, width, height] = style.isWhole ? [0, 0, across, down] : mask.box;
  const size = { width: Math.max(1, width), height: Math.max(1, height) };
  const { canvas, context } = canvasOf(size);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, -left, -top);
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const bits = { width: across, height: down, data };
  for (let y = 0; y < canvas.height; y++)
    for (let x = 0; x < canvas.width; x++) {
      const at = (y * canvas.width + x) * 4;
      const isSet = Boolean(data[(top + y) * across + left + x]);
      const alpha = style.isFeathered ? featheredAt(bits, left + x, top + y) : Number(isSet);
      if (alpha === 0) image.data.fill(0, at, at + 4);
      else image.data[at + 3] = Math.round(255 * alpha);
    }
  context.putImageData(image, 0, 0);
  if (style.background === null) return await canvas.convertToBlob();
  const behind = canvasOf(size);
  behind.context.fillStyle = style.background;
  behind.context.fillRect(0, 0, size.width, size.height);
  behind.context.drawImage(canvas, 0, 0);
  return await behind.canvas.convertToBlob();
}
