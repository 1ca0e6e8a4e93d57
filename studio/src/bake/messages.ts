import type { BakedMask } from "./types.ts";

/** Asks for a picture with its masks, or for its masks alone. */
export interface ThumbnailRequest {
  readonly type: "thumbnail";
  readonly original: Blob | null;
  readonly masks: readonly BakedMask[];
  /** The longest side in pixels; a smaller picture keeps its size. */
  readonly longest: number;
}

/** What the page asks of the worker that draws. */
export type BakeRequest =
  | ThumbnailRequest
  /** The picture with its masks in its own size, as PNG. */
  | { readonly type: "picture"; readonly original: Blob; readonly masks: readonly BakedMask[] }
  /** Each object on its own, as PNG. */
  | { readonly type: "cut-outs"; readonly original: Blob; readonly masks: readonly Blob[] };

/** The result of a thumbnail request, and of the other requests. */
export type Baked = ImageBitmap | Blob[];

/** What the worker answers; it answers in the order of the requests. */
export type BakeAnswer = { readonly done: Baked } | { readonly failure: string };
