/** The interface between the engine and a model family: pictures and prompts in, instances out. */
import type { Corners, EmbeddingData, LogitGrid, Region, Size } from "@segmentation/masks";
import type { ImageParameters, ImageWork } from "@segmentation/protocol";
import type { ManifestFile } from "./manifest.ts";
import type { Usage } from "../device/usage.ts";

/** A decoded picture: three sRGB bytes per pixel, row by row, as a viewer shows it (orientation applied). */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
  /**
   * SHA-256 of the encoded bytes, hex: the key of cached image features. Null if nothing should be cached, as for a
   * frame.
   */
  readonly contentHash: string | null;
}

/** One found object. */
export interface Instance {
  /** Index into the request's prompts. */
  readonly promptIndex: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
  readonly box: Corners;
  readonly mask: LogitGrid;
  /** True if it is too faint to be a result: it may only continue a track. */
  readonly faint: boolean;
  /** The object's appearance as a vector of length 1; only in a picture that is kept open. */
  readonly appearance?: Float32Array;
}

/** The mask for a region. */
export interface DrawnRegion {
  readonly mask: LogitGrid;
  /** The model's estimate of the IoU with the object's true mask, mostly 0 to 1. */
  readonly quality: number;
  /** Like an instance's. */
  readonly appearance?: Float32Array;
}

/** Appearance of cells of a picture: vectors of length 1, one after another. */
export interface CellAppearance {
  readonly channels: number;
  /** `channels` values for each cell. */
  readonly appearance: Float32Array<ArrayBuffer>;
}

/** Appearance of a picture, cell by cell, row by row, on a grid stretched over it. */
export interface PictureAppearance extends CellAppearance, Size {}

/** Remembered cells, and the share of each that an object covers, 0 to 1. */
export interface KnownCells extends CellAppearance {
  readonly inside: Float32Array<ArrayBuffer>;
}

/** A segmented picture that accepts more regions. The caller who asked for it disposes of it. */
export interface OpenPicture extends Disposable {
  /** Draws one mask for each region, in their order, with its appearance. */
  draw(regions: readonly Region[]): Promise<DrawnRegion[]>;
  /** Only if the family tracks objects from frame to frame. */
  readonly following?: Followable;
}

/** Following of objects from frame to frame. */
export interface Followable {
  appearance(): Promise<PictureAppearance>;
  /** Every mask that the model offers for each region, without their appearances. */
  offers(regions: readonly Region[]): Promise<DrawnRegion[][]>;
  /** An offered mask without specks, as `draw` returns it. @param region its region */
  cleaned(mask: LogitGrid, region?: Partial<Region>): LogitGrid;
  /**
   * The share of the object in each cell, 0 to 1, by the known cells with the most similar appearance. Do not use
   * either argument afterwards.
   */
  votes(cells: CellAppearance, known: KnownCells): Promise<Float32Array>;
}

/** A picture's features, from which SAM 2's decoder draws masks elsewhere. */
export type PictureEmbedding = Pick<EmbeddingData, "model" | "decoder" | "tensors">;

/** An object that looks like examples. */
export interface AlikeObject extends Omit<Instance, "promptIndex" | "faint"> {
  /** Index into the request's examples. */
  readonly exampleIndex: number;
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
  /** The masks of the request's regions, in their order; absent if it had none. */
  readonly regions?: readonly DrawnRegion[];
  /** Objects like the request's examples, by their order, then by descending score; absent if it had none. */
  readonly alike?: readonly AlikeObject[];
  readonly modelMs: number;
  /** Only if the request asks for it. */
  readonly embedding?: PictureEmbedding;
  /** True if this call did not compute the picture's features, because an earlier call did. */
  readonly featuresCached: boolean;
  /** Only if the request asks for it and the family draws in boxes. */
  readonly open?: OpenPicture;
}

/** The request: `threshold` is the lowest score of an instance, 0 to 1. */
export interface SegmentRequest extends Readonly<Pick<ImageParameters, "prompts" | "threshold">> {
  /** The objects to draw, without words. A model that does not draw regions ignores them. */
  readonly regions?: readonly Region[];
  /** Objects to find more of: each entry has the examples of one thing. A model that does not find any ignores them. */
  readonly examples?: readonly (readonly Region[])[];
  /**
   * True to return faint instances, with which a tracker can continue its tracks. Read it only after detection, and
   * never copy the request before: it may turn false in the meantime.
   */
  readonly withFaint: boolean;
  /** True to keep the picture open. */
  readonly keepOpen?: boolean;
  /** True to return the picture's embedding; only for a model with a `decoder`. */
  readonly withEmbedding?: boolean;
  /** True for a frame of a video, where a detection begins a track; by default a single picture. */
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
  /** The number of pictures or frames that it works on at once: 1 where graphs take turns on a device. */
  readonly concurrency: number;
  /** The family whose adapter it is. */
  readonly family: string;
  /**
   * Its labels, if it finds nothing else: it takes the noun of a prompt and ignores its attributes. Absent if it looks
   * for any phrase as a whole.
   */
  readonly labels?: readonly string[];
  /** True if it draws the regions of a request, by boxes and by points. */
  readonly drawsRegions?: boolean;
  /** True if it finds objects like an example: by a box, and by points if it draws regions. */
  readonly findsAlike?: boolean;
  /** True if its open pictures can be followed, and its regions may correct a mask. */
  readonly followsRegions?: boolean;
  /** The side of the grid on which it takes a mask to correct; by default SAM 2's. */
  readonly priorSide?: number;
  /** The file in its folder that draws masks from an embedding; absent if it returns none. */
  readonly decoder?: ManifestFile;
  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation>;
  /**
   * Runs the golden picture, whose answer is known. A model without this can't find out whether its device is well.
   * @throws Error if the objects found differ from the manifest's
   */
  selfTest?(usage: Usage): Promise<void>;
  /**
   * Reports each time that the model becomes unable to work, with the reason, and when it is able again. A model
   * without this is always able.
   */
  watch?(changed: (problem: string | undefined) => void): void;
  close(): Promise<void>;
}
