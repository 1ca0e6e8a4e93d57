import type { Rle } from "../masks/rle.ts";

/** A picture of a COCO document, or a frame of a clip. */
export interface CocoImage {
  readonly id: number;
  readonly file_name: string;
  readonly width: number;
  readonly height: number;
  readonly video_id?: number;
}

/** One object in a picture. */
export interface CocoAnnotation {
  readonly id: number;
  readonly image_id: number;
  readonly category_id: number;
  /** Left, top, width, height in pixels. */
  readonly bbox: readonly number[];
  readonly area: number;
  /** The confidence, 0 to 1. */
  readonly score: number;
  readonly iscrowd: 0;
  readonly segmentation: Rle;
  /** The same in all frames for one tracked object of a clip. */
  readonly track_id?: number;
  readonly video_id?: number;
}

/** A COCO document of instance masks (the dataset's "object detection" format). */
export interface CocoDocument {
  readonly images: readonly CocoImage[];
  readonly categories: readonly { readonly id: number; readonly name: string }[];
  readonly annotations: readonly CocoAnnotation[];
  readonly videos?: readonly { readonly id: number }[];
}
