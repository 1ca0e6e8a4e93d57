/** Shared manifest fields of the families that find boxes first and draw their masks with SAM 2. */
import { z } from "zod";
import { type Confidence, AS_IT_IS } from "../confidence.ts";
import type { GraphSpec, ImageInput } from "../manifest.ts";

const Share = z.number().min(0).max(1);

const Fit: z.ZodType<Confidence> = z.strictObject({ offset: z.number(), slope: z.number().positive() });

/** Limits on a detector's boxes. All scores here are confidences, as is the request's threshold. */
export const BoxChoice = z.strictObject({
  /** The fit of the detector's scores to confidences, made by `npm run models -- calibrate`. */
  confidence: Fit.default(AS_IT_IS),
  /** Boxes below this score never count as objects, at any threshold. */
  floor: Share,
  /** Boxes between this score and `floor` may only continue a track. */
  faintFloor: Share,
  /** IoU above which the worse of two boxes of one label is dropped. */
  nmsIou: Share,
  maxBoxes: z.int().positive(),
});

export type BoxChoice = z.infer<typeof BoxChoice>;

export const MaskDrawing = z.strictObject({
  /** Boxes per run of the mask decoder. */
  batch: z.int().positive(),
  /** SAM 2's masks lose separate parts smaller than this share of the largest. */
  islandShare: Share,
  /** SAM 2's masks lose holes smaller than this share of the object. */
  holeShare: Share,
});
export type MaskDrawing = z.infer<typeof MaskDrawing>;

/** The part of a manifest for SAM 2. */
export interface SegmenterManifest {
  readonly images: { readonly segmenter: ImageInput };
  readonly graphs: { readonly encoder: GraphSpec; readonly decoder: GraphSpec };
  readonly masks: MaskDrawing;
}
