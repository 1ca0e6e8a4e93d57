/** Fields of an `owlvit-sam2` model's manifest, besides the shared part. */
import { z } from "zod";
import { ClipText } from "../text/clip-tokenizer.ts";
import { GraphSpec, ImageInput, Manifest, requireUsed } from "../manifest.ts";
import { BoxChoice, MaskDrawing } from "../sam2/manifest.ts";

export const OwlvitManifest = Manifest.extend({
  family: z.literal("owlvit-sam2"),
  graphs: z.strictObject({
    image: GraphSpec,
    text: GraphSpec,
    head: GraphSpec,
    encoder: GraphSpec,
    decoder: GraphSpec,
  }),
  images: z.strictObject({ detector: ImageInput, segmenter: ImageInput }),
  text: ClipText,
  detection: BoxChoice.extend({
    /** For objects like an example, whose scores are higher than those of words; absent if it looks for none. */
    examples: BoxChoice.pick({ confidence: true, nmsIou: true }).optional(),
  }),
  masks: MaskDrawing,
})
  .strict()
  .superRefine(requireUsed);
export type OwlvitManifest = z.infer<typeof OwlvitManifest>;
