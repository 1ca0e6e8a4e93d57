import { readBlob, unreadable } from "../http/read.ts";
import {
  type Bitmap,
  type Box,
  encodeRle,
  type MaskPng,
  measureMask,
  type Polygon,
  polygonsOf,
  readMaskPng,
  unpackMask,
} from "@segmentation/masks";

/** One object in a picture. Its pixels stay packed until they are asked for. */
export class Mask {
  /** Its place among the picture's masks, from 0: by prompt, then by falling confidence. */
  readonly index: number;
  /** The prompt that it answers; undefined for a region's mask. */
  readonly prompt: string | undefined;
  /** Index of its region in the job, from 0; undefined for a prompt's mask. */
  readonly region: number | undefined;
  /** Label of its region, if the job has one. */
  readonly label: string | undefined;
  /** 0 to 1. */
  readonly confidence: number;
  /** The picture's size in pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  readonly box: Box;
  /** The number of pixels inside. */
  readonly area: number;
  /** The mask as the service wrote it: a PNG of one bit per pixel. */
  readonly png: Blob;

  constructor(index: number, confidence: number, png: Blob, content: MaskPng) {
    const region = content.texts.get("region");
    this.index = index;
    this.confidence = confidence;
    this.prompt = content.texts.get("prompt");
    this.region = region === undefined ? undefined : Number(region);
    this.label = content.texts.get("label");
    this.width = content.width;
    this.height = content.height;
    ({ area: this.area, box: this.box } = measureMask(content));
    this.png = png;
  }

  /** The pixels, row by row. */
  async bitmap(): Promise<Bitmap> {
    return unpackMask(await contentOf(this.png));
  }

  /** The mask as run-length encoding of COCO. */
  async rle(): Promise<ReturnType<typeof encodeRle>> {
    return encodeRle(await this.bitmap());
  }

  /** The outlines, exact, or with fewer points where they may be `tolerance` pixels off. */
  async polygons({ tolerance = 0 }: { readonly tolerance?: number } = {}): Promise<Polygon[]> {
    return polygonsOf(await this.bitmap(), tolerance);
  }
}

const contentOf = async (png: Blob): Promise<MaskPng> =>
  await readMaskPng(new Uint8Array(await png.arrayBuffer()));

/** Reads a mask's file from storage; a damaged one counts as an answer that arrived garbled. */
export const readMask =
  (index: number, confidence: number) =>
  async (response: Response, alive: () => void): Promise<Mask> => {
    const png = await readBlob(response, alive);
    try {
      return new Mask(index, confidence, png, await contentOf(png));
    } catch (cause) {
      throw unreadable(response, "is not a mask", cause);
    }
  };
