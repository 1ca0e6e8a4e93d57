import type { RenderAnswer, Rendered, RenderRequest } from "./messages.ts";
import { cocoPartOf } from "./coco.ts";
import { classMapOf, labelMapOf, yoloOf } from "./labels.ts";
import { cutOut } from "./cut-out.ts";
import { coloursUnder, paintPicture, sizeOfPicture } from "./paint.ts";
import { svgOf } from "./svg.ts";

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
      return await cutOut(request.original, request.masks, request.style);
    case "coco":
    case "class-map":
      return await sizedFile(request);
    case "yolo":
      return [await yoloOf(request.masks, request.tolerance)];
    case "label-map":
      return await labelMapOf(request.masks);
    case "svg":
      return await svgOf(request.masks);
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
