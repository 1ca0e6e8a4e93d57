import sharp from "sharp";
import type { Making } from "../../src/export/files/make.ts";
import { cocoPartOf } from "../../src/render/coco.ts";
import { labelMapOf, yoloOf } from "../../src/render/labels.ts";

/** Makes the files that need no canvas in this process, as the render worker does. */
export const directRenderer: Making["renderer"] = {
  files: async (request) => {
    switch (request.type) {
      case "coco": {
        const file = request.anyMask ?? request.original;
        if (file === null) return [];
        const { width, height } = await sharp(await file.arrayBuffer()).metadata();
        return [new Blob([JSON.stringify(await cocoPartOf(request.masks, { width, height }))])];
      }
      case "yolo":
        return [await yoloOf(request.masks, request.tolerance)];
      case "label-map":
        return await labelMapOf(request.masks);
      case "cut-outs":
      case "picture":
        throw new TypeError(`${request.type} needs a canvas.`);
    }
  },
};
