/** What the manifests of families share that find boxes first and draw their masks with SAM 2. */
import { z } from "zod";
import { type Confidence, AS_IT_IS } from "../confidence.ts";
import type { GraphSpec, ImageInput } from "../manifest.ts";

const Share = z.number().min(0).max(1);

const Fit: z.ZodType<Confidence> = z.strictObject({ offset: z.number(), slope: z.number().positive() });

/** Which of a detector's boxes count. All scores here are confidences, as is the request's threshold. */
export const BoxChoice = z.strictObject({
  /** What turns the detector's scores into confidences. `npm run models -- calibrate` fits it. */
  confidence: Fit.default(AS_IT_IS),
  /** Boxes below this score never count as objects, whatever the request's threshold. */
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
  /** Separate parts smaller than this share of the largest are dropped. */
  islandShare: Share,
  /** Holes smaller than this share of the object are filled. */
  holeShare: Share,
});
export type MaskDrawing = z.infer<typeof MaskDrawing>;

/** What SAM 2 reads from a manifest. */
export interface SegmenterManifest {
  readonly images: { readonly segmenter: ImageInput };
  readonly graphs: { readonly encoder: GraphSpec; readonly decoder: GraphSpec };
  readonly masks: MaskDrawing;
}
