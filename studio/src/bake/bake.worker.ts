import { cutOut } from "./cut-out.ts";
import type { Baked, BakeAnswer, BakeRequest } from "./messages.ts";
import { paintPicture } from "./paint.ts";

// Draws masks on pictures, so that the page stays smooth meanwhile.

async function bake(request: BakeRequest): Promise<Baked> {
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
  }
}

async function answer(request: BakeRequest): Promise<void> {
  try {
    const done = await bake(request);
    const message: BakeAnswer = { done };
    postMessage(message, { transfer: done instanceof ImageBitmap ? [done] : [] });
  } catch (error) {
    const message: BakeAnswer = { failure: error instanceof Error ? error.message : String(error) };
    postMessage(message);
  }
}

let last = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<BakeRequest>) => {
  last = last.then(async () => await answer(data));
});
