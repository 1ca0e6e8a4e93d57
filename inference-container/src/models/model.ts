/** The interface between the engine and a model family: pictures and prompts in, instances out. */
import type { Usage } from "../device/usage.ts";

/** A decoded picture: three sRGB bytes per pixel, row by row, as a viewer shows it (orientation applied). */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
  /**
   * SHA-256 of the encoded bytes, hex: the key of cached image features. Null if nothing is to be cached, as for a
   * frame.
   */
  readonly contentHash: string | null;
}

/** Mask logits on a grid stretched over the whole picture; a pixel is set if its logit exceeds the threshold's. */
export interface LogitGrid {
  readonly width: number;
  readonly height: number;
  /** `width * height` values, row by row; sample centres at (i + 0.5) / width of the picture's width. */
  readonly logits: Float32Array;
}

/** One found object. */
export interface Instance {
  /** Index into the request's prompts. */
  readonly promptIndex: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
  /** [x1, y1, x2, y2] in picture pixels, 0 ≤ x1 < x2 ≤ width. */
  readonly box: readonly [number, number, number, number];
  readonly mask: LogitGrid;
  /** True if it is too faint to stand alone: it may only continue what was seen before. */
  readonly faint: boolean;
}

/** A prompt that the model can't look for, with a sentence for the person who wrote it. */
export interface UnservedPrompt {
  readonly promptIndex: number;
  readonly message: string;
}

/** The result for one picture; `modelMs` counts the milliseconds inside the model's own graphs. */
export interface Segmentation {
  /** By prompt in the request's order, then by descending score. */
  readonly instances: readonly Instance[];
  readonly unserved: readonly UnservedPrompt[];
  readonly modelMs: number;
  /** True if this call did not compute the picture's features: they were remembered, or computed for an earlier call. */
  readonly featuresCached: boolean;
}

/** What to look for; `threshold` is the lowest score of an instance, 0 to 1. */
export interface SegmentRequest {
  readonly prompts: readonly string[];
  readonly threshold: number;
  /**
   * Whether to give instances too faint to stand alone, with which a tracker can continue its tracks. Read it only when
   * it is needed, after detection, and never copy the request before: frame by frame it may turn false meanwhile.
   */
  readonly withFaint: boolean;
  /** The work that this request is part of, which is told of every run on the device. */
  readonly usage?: Usage;
}

/**
 * A loaded, warmed-up model. Calls may overlap: graphs take turns on the device; what comes before and after them
 * doesn't wait.
 */
export interface Model {
  readonly id: string;
  readonly version: string;
  /** The ONNX Runtime execution provider actually in use, e.g. "cpu". */
  readonly provider: string;
  /** How many pictures or frames to give at once beside those at hand: the device joins this many; 1 if it joins none. */
  readonly maxBatch: number;
  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation>;
  close(): Promise<void>;
}
