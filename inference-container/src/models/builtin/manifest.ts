/** Fields of a `builtin` model's manifest, besides the shared part. */
import { z } from "zod";
import { LabelMatching, LabelText, LabelVocabulary } from "../labels/manifest.ts";
import { GraphSpec, ImageInput, Manifest, Share } from "../manifest.ts";
import { BoxChoice, MaskDrawing } from "../sam2/manifest.ts";

/** Views of a picture for the detector, besides the whole. */
const Views = z.strictObject({
  /** Adds the mirror image. */
  mirrored: z.boolean(),
  /** The number of parts along the picture's long and short side. */
  parts: z.tuple([z.int().min(1).max(8), z.int().min(1).max(8)]),
  /** The share of a part that overlaps the next. */
  overlap: Share.lt(1),
  /** A box that ends within this share of its part's side from an edge inside the picture counts as cut off. */
  margin: Share,
});
export type Views = z.infer<typeof Views>;

const Detection = BoxChoice.extend({
  /** The `floor` of videos, where a wrong box would begin a track. */
  clipFloor: Share,
  views: Views,
});

export const BuiltinManifest = Manifest.extend({
  family: z.literal("builtin"),
  graphs: z.strictObject({
    detector: GraphSpec,
    encoder: GraphSpec,
    decoder: GraphSpec,
    text: GraphSpec,
  }),
  images: z.strictObject({ detector: ImageInput, segmenter: ImageInput }),
  text: LabelText,
  vocabulary: LabelVocabulary,
  detection: Detection,
  matching: LabelMatching,
  masks: MaskDrawing,
}).strict();
export type BuiltinManifest = z.infer<typeof BuiltinManifest>;
