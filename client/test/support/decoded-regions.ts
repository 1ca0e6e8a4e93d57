import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Bitmap,
  bitmapOf,
  findRuns,
  iou,
  placed,
  priorOf,
  type Region,
  type Size,
  writeEmbedding,
} from "@segmentation/masks";
import { type DecodeRequest, MaskDecoder } from "segmentation-client/interactive";
import sharp from "sharp";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import { InferenceSession, Tensor } from "../../../inference-container/src/onnx/runtime.ts";

/** Two masks of one region. */
export interface Compared {
  readonly request: DecodeRequest;
  readonly iou: number;
  /** The share of the picture's pixels that are the same. */
  readonly same: number;
  /** The difference of the confidences. */
  readonly apart: number;
}

/** The embedded model, and its decoder as a client has it. */
export async function loadBoth() {
  const folder = await ensureBuiltin();
  const model = await loadModel(folder);
  const runtime = { InferenceSession, Tensor };
  const options = { intraOpNumThreads: 1 };
  const file = await readFile(join(folder, "sam2-decoder.onnx"));
  const decoder = await MaskDecoder.load(runtime, file, options);
  return {
    decoder,
    /** Draws regions of a picture as the service does, and in a client. */
    compare: async (path: string, requestsOf: (width: number, height: number) => DecodeRequest[]) => {
      const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const { width, height } = info;
      const picture = { width, height, rgb: data, contentHash: null };
      const asked = { prompts: [], threshold: 0.5, withFaint: false };
      const requests = requestsOf(width, height);
      const { regions = [], embedding } = await model.segment(picture, {
        ...asked,
        regions: requests.map((request) => regionOf(request, { width, height })),
        withEmbedding: true,
      });
      if (embedding === undefined) throw new Error("The model returned no embedding.");
      const opened = decoder.open(writeEmbedding({ ...embedding, width, height }));
      const compared: Compared[] = [];
      for (const [at, request] of requests.entries()) {
        const { mask, quality = 0 } = regions[at] ?? {};
        if (mask === undefined) throw new Error("The model drew no mask.");
        const served = bitmapOf(findRuns(mask, width, height, 0.5));
        const { mask: drawn, confidence } = await opened.decode(request);
        const apart = Math.abs(confidence - Math.min(Math.max(quality, 0), 1));
        compared.push({ request, iou: iouOf(served, drawn), same: sameOf(served, drawn), apart });
      }
      return compared;
    },
    close: async () => {
      await decoder.release();
      await model.close();
    },
  };
}

/** The region as the service places it. */
function regionOf({ prior, ...place }: DecodeRequest, picture: Size): Region {
  const region = placed(place, picture);
  if (region === undefined) throw new Error("The region lies outside the picture.");
  return { ...region, ...(prior !== undefined && { prior: priorOf(prior) }) };
}

const iouOf = (a: Bitmap, b: Bitmap): number =>
  a.data.includes(255) || b.data.includes(255) ? iou(a, b) : 1;

const sameOf = (a: Bitmap, b: Bitmap): number =>
  a.data.reduce((sum, value, at) => sum + (value === b.data[at] ? 1 : 0), 0) / a.data.length;
