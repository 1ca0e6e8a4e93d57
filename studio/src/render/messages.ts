import type { LabelledMask } from "./labels.ts";
import type { CutOutStyle, NamedMask, TintedMask } from "./types.ts";

/** Asks for a picture with its masks, or for its masks alone. */
export interface ThumbnailRequest {
  readonly type: "thumbnail";
  readonly original: Blob | null;
  readonly masks: readonly TintedMask[];
  /** The longest side in pixels; a smaller picture keeps its size. */
  readonly longest: number;
}

/** Request of the page to the render worker. */
export type RenderRequest =
  | ThumbnailRequest
  /** The picture with its masks in its own size, as PNG. */
  | { readonly type: "picture"; readonly original: Blob; readonly masks: readonly TintedMask[] }
  /** Each object on its own, as PNG. */
  | {
      readonly type: "cut-outs";
      readonly original: Blob;
      readonly masks: readonly Blob[];
      readonly style: CutOutStyle;
    }
  /** The objects' outlines as one SVG. */
  | { readonly type: "svg"; readonly masks: readonly NamedMask[] }
  /**
   * The objects as COCO describes them, as JSON of a `CocoPart`, or the class of each pixel, as PNG. The picture's size is read from `anyMask`, or else from the original; of
   * a picture that has neither there is no file.
   */
  | {
      readonly type: "coco" | "class-map";
      readonly anyMask: Blob | null;
      readonly original: Blob | null;
      readonly masks: readonly LabelledMask[];
    }
  /** The objects' outlines as labels for YOLO; a line may stray by `tolerance` pixels to have fewer points. */
  | { readonly type: "yolo"; readonly masks: readonly LabelledMask[]; readonly tolerance: number }
  /** The objects' numbers as one picture, as PNG. */
  | { readonly type: "label-map"; readonly masks: readonly LabelledMask[] }
  | UnderRequest;

/** Asks for the mean color of the picture under each mask. */
export interface UnderRequest {
  readonly type: "under";
  readonly original: Blob;
  readonly masks: readonly Blob[];
}

/** As bytes of sRGB; null under a mask without pixels. */
export type Under = TintedMask["rgb"] | null;

/** The result of a thumbnail request, of one for colors, and of the other requests. */
export type Rendered = ImageBitmap | { readonly under: readonly Under[] } | Blob[];

/** Answer of the worker, in the order of the requests. */
export type RenderAnswer = { readonly done: Rendered } | { readonly failure: string };
