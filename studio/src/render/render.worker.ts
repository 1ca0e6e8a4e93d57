import { Mask, readMaskPng } from "segmentation-client/masks";
import type { RenderAnswer, Rendered, RenderRequest } from "./messages.ts";
import { cocoPartOf } from "./coco.ts";
import { classMapOf, labelMapOf, yoloOf } from "./labels.ts";
import { canvasOf, coloursUnder, openPicture, paintPicture, sizeOfPicture } from "./paint.ts";

// Draws masks on pictures off the main thread.

async function render(request: RenderRequest): Promise<Rendered> {
  switch (request.type) {
    case "thumbnail": {
      const canvas = await paintPicture(request.original, request.masks, request.longest);
      return canvas.transferToImageBitmap();
    }
    case "picture": {
      const canvas = await paintPicture(request.original, request.masks, null);
      return [await canvas.convertToBlob()];
    }
    case "cut-outs":
      return await cutOut(request.original, request.masks);
    case "coco":
    case "class-map":
      return await sizedFile(request);
    case "yolo":
      return [await yoloOf(request.masks, request.tolerance)];
    case "label-map":
      return await labelMapOf(request.masks);
    case "under":
      return { under: await coloursUnder(request.original, request.masks) };
  }
}

async function answer(request: RenderRequest): Promise<void> {
  try {
    const done = await render(request);
    const message: RenderAnswer = { done };
    postMessage(message, { transfer: done instanceof ImageBitmap ? [done] : [] });
  } catch (error) {
    const message: RenderAnswer = { failure: error instanceof Error ? error.message : String(error) };
    postMessage(message);
  }
}

let last = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<RenderRequest>) => {
  last = last.then(async () => await answer(data));
});

/**
 * Cuts objects out of their picture: each a PNG of the mask's box, transparent outside of the mask. Where the picture itself is
 * transparent it lies on white, as in the service's cut-outs.
 * @throws Error if the browser can't read the picture, or shows it in another size than the service
 */
async function cutOut(original: Blob, masks: readonly Blob[]): Promise<Blob[]> {
  const bitmap = await openPicture(original);
  if (bitmap === null)
    throw new Error("This browser can’t read the picture. Run the job again with cut-outs.");
  const files: Blob[] = [];
  for (const png of masks) {
    const mask = new Mask(0, 1, png, await readMaskPng(new Uint8Array(await png.arrayBuffer())));
    if (mask.width !== bitmap.width || mask.height !== bitmap.height)
      throw new Error("The picture in this browser is not the one that the masks were made from.");
    const { data } = await mask.bitmap();
    const [left, top, width, height] = mask.box;
    const { canvas, context } = canvasOf({ width: Math.max(1, width), height: Math.max(1, height) });
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, -left, -top);
    const image = context.getImageData(0, 0, canvas.width, canvas.height);
    for (let y = 0; y < canvas.height; y++)
      for (let x = 0; x < canvas.width; x++)
        if (!data[(top + y) * mask.width + left + x])
          image.data.fill(0, (y * canvas.width + x) * 4, (y * canvas.width + x + 1) * 4);
    context.putImageData(image, 0, 0);
    files.push(await canvas.convertToBlob());
  }
  bitmap.close();
  return files;
}

/** Makes a file that has the picture's size; none if nothing tells the size. */
async function sizedFile({
  type,
  anyMask,
  original,
  masks,
}: Extract<RenderRequest, { readonly anyMask: Blob | null }>): Promise<Blob[]> {
  const size = await sizeOfPicture(anyMask, original);
  if (size === null) return [];
  if (type === "class-map") return [await classMapOf(masks, size)];
  return [new Blob([JSON.stringify(await cocoPartOf(masks, size))])];
}
