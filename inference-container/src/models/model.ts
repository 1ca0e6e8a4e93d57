/** The interface between the engine and a model family: pictures and prompts in, instances out. */
import type { ImageParameters, ImageWork, RegionPoint } from "@segmentation/protocol";
import type { Usage } from "../device/usage.ts";
import type { Size } from "../size.ts";

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
  /** True if it is too faint to stand alone: it may only continue a track. */
  readonly faint: boolean;
  /** What the object looks like, as a vector of length 1; only in a picture that is kept open. */
  readonly appearance?: Float32Array;
}

/** Where in a picture to draw an object: its box, points on it and outside it, or both, in picture pixels and inside the picture. */
export type Region = (
  | { readonly box: Instance["box"]; readonly points?: readonly RegionPoint[] }
  | { readonly box?: never; readonly points: readonly RegionPoint[] }
) & {
  /** Which of its pixels are expected, on SAM 2's grid; absent if nothing is known about them. */
  readonly prior?: LogitGrid;
};

/** What was drawn for a region. */
export interface DrawnRegion {
  readonly mask: LogitGrid;
  /** The IoU with the object's true mask as the model estimates it, mostly 0 to 1. */
  readonly quality: number;
  /** As an instance's. */
  readonly appearance?: Float32Array;
}

/** What cells of a picture look like: of each a vector of length 1, one after another. */
export interface CellAppearance {
  readonly channels: number;
  /** `channels` values for each cell. */
  readonly appearance: Float32Array<ArrayBuffer>;
}

/** What a picture looks like, cell by cell, row by row, on a grid that is stretched over it. */
export interface PictureAppearance extends CellAppearance, Size {}

/** Remembered cells, and of each how much of it an object has, 0 to 1. */
export interface KnownCells extends CellAppearance {
  readonly inside: Float32Array<ArrayBuffer>;
}

/** A segmented picture in which more can be drawn. The caller who asked for it disposes of it. */
export interface OpenPicture extends Disposable {
  /** One mask for each region, in their order, with its appearance. */
  draw(regions: readonly Region[]): Promise<DrawnRegion[]>;
  /** Only if the family follows objects from frame to frame. */
  readonly following?: Followable;
}

/** What following an object from frame to frame takes. */
export interface Followable {
  appearance(): Promise<PictureAppearance>;
  /** Every mask that the model offers for each region, without their appearances. */
  offers(regions: readonly Region[]): Promise<DrawnRegion[][]>;
  /** An offered mask without specks, as `draw` returns it. @param region what it was drawn for */
  cleaned(mask: LogitGrid, region?: Partial<Region>): LogitGrid;
  /** For each cell, how much of it is the object, 0 to 1, by the known cells that look most like it; they are both used up. */
  votes(cells: CellAppearance, known: KnownCells): Promise<Float32Array>;
}

/** A prompt that the model can't serve, with a sentence for the person who wrote it. */
export interface UnservedPrompt {
  readonly promptIndex: number;
  readonly message: string;
  /** True if it serves a part of the prompt. */
  readonly isPart?: boolean;
}

/** The result for one picture; `modelMs` counts the milliseconds inside the model's own graphs. */
export interface Segmentation {
  /** By prompt in the request's order, then by descending score. */
  readonly instances: readonly Instance[];
  readonly unserved: readonly UnservedPrompt[];
  /** What was drawn for the request's regions, in their order; absent if it had none. */
  readonly regions?: readonly DrawnRegion[];
  readonly modelMs: number;
  /** True if this call did not compute the picture's features: they were remembered, or computed for an earlier call. */
  readonly featuresCached: boolean;
  /** Only if the request asks for it and the family draws in boxes. */
  readonly open?: OpenPicture;
}

/** What to look for; `threshold` is the lowest score of an instance, 0 to 1. */
export interface SegmentRequest extends Readonly<Pick<ImageParameters, "prompts" | "threshold">> {
  /** Where to draw an object, whatever it is. A model that does not draw regions ignores them. */
  readonly regions?: readonly Region[];
  /**
   * Whether to return instances too faint to stand alone, with which a tracker can continue its tracks. Read it only
   * after detection, and never copy the request before: it may turn false in the meantime.
   */
  readonly withFaint: boolean;
  /** Whether to keep the picture open. */
  readonly keepOpen?: boolean;
  /** Whether the picture is a frame of a clip, where a detection begins a track; by default it stands alone. */
  readonly inClip?: boolean;
  /** The task that asks, for a model on a server. Absent in a self-test. */
  readonly task?: Pick<ImageWork, "key" | "lane">;
  /** The work that this request belongs to, which counts every run on the device. */
  readonly usage?: Usage;
}

/**
 * A loaded, warmed-up model. Calls may overlap: graphs take turns on the device, but the work before and after them
 * does not wait.
 */
export interface Model {
  readonly id: string;
  readonly version: string;
  /** The ONNX Runtime execution provider actually in use, e.g. "cpu"; "kserve" for a model on a server. */
  readonly provider: string;
  /** How many pictures or frames it works on at once: 1 where graphs take turns on a device. */
  readonly concurrency: number;
  /** The family whose adapter it is. */
  readonly family: string;
  /**
   * The labels that it knows, if it finds nothing else: it takes the noun of a prompt and ignores its attributes.
   * Absent: it looks for any phrase as a whole.
   */
  readonly labels?: readonly string[];
  /** Whether it draws the regions of a request, by boxes and by points; absent: no. */
  readonly drawsRegions?: boolean;
  /** Whether its open pictures can be followed, and its regions may correct a mask; absent: no. */
  readonly followsRegions?: boolean;
  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation>;
  /**
   * Runs the golden picture, whose answer is known. A model without this can't find out whether its device is well.
   * @throws Error if what it finds is not what the manifest says
   */
  selfTest?(usage: Usage): Promise<void>;
  /**
   * Reports whenever the model becomes unable to work, with the reason, and when it is able again. A model without
   * this is always able.
   */
  watch?(changed: (problem: string | undefined) => void): void;
  close(): Promise<void>;
}
