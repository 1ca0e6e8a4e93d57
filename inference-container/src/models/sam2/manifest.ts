/** What manifests of families share that find boxes first and draw their masks with SAM 2. */
import { z } from "zod";
import type { GraphSpec, ImageInput } from "../manifest.ts";

const Share = z.number().min(0).max(1);

/** Which boxes of a detector count. */
export const BoxChoice = z.strictObject({
  /** Boxes below this score are never used, whatever a request asks. */
  floor: Share,
  /** Boxes between this score and the floor may continue a track, and no more. */
  faintFloor: Share,
  /** Overlap at which the lower of two boxes of one label is dropped. */
  nmsIou: Share,
  maxBoxes: z.int().positive(),
});

export const MaskDrawing = z.strictObject({
  /** Boxes in one run of the mask decoder. */
  batch: z.int().positive(),
  /** Further passes of the decoder, each with the last one's mask as a prompt. */
  refinements: z.int().nonnegative(),
  /** Separate parts smaller than this share of the largest are dropped. */
  islandShare: Share,
  /** Holes smaller than this share of the object are filled. */
  holeShare: Share,
});

/** What the segmenter needs to know of a manifest. */
export interface SegmenterManifest {
  readonly images: { readonly segmenter: ImageInput };
  readonly graphs: { readonly decoder: GraphSpec };
  readonly masks: z.infer<typeof MaskDrawing>;
}
