import sharp from "sharp";
import type { Making } from "../../src/export/files/scope.ts";
import { cocoPartOf } from "../../src/render/coco.ts";
import { svgOf } from "../../src/render/svg.ts";
import { classMapOf, labelMapOf, yoloOf } from "../../src/render/labels.ts";

/** Makes the files that need no canvas in this process, as the render worker does. */
export const directRenderer: Making["renderer"] = {
  files: async (request) => {
    switch (request.type) {
      case "coco":
      case "class-map": {
        const file = request.anyMask ?? request.original;
        if (file === null) return [];
        const { width, height } = await sharp(await file.arrayBuffer()).metadata();
        if (request.type === "class-map") return [await classMapOf(request.masks, { width, height })];
        return [new Blob([JSON.stringify(await cocoPartOf(request.masks, { width, height }))])];
      }
      case "yolo":
        return [await yoloOf(request.masks, request.tolerance)];
      case "label-map":
        return await labelMapOf(request.masks);
      case "svg":
        return await svgOf(request.masks);
      case "cut-outs":
      case "picture":
        throw new TypeError(`${request.type} needs a canvas.`);
    }
  },
};
