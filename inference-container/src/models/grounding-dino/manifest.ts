/** Fields of a `grounding-dino-sam2` model's manifest, besides the shared part. */
import { z } from "zod";
import { FileName, GraphSpec, ImageInput, Manifest, requireUsed } from "../manifest.ts";
import { BoxChoice, MaskDrawing } from "../sam2/manifest.ts";

const Text = z.strictObject({
  /** A `tokenizer.json` of BERT's word pieces, lower-cased. */
  tokenizer: FileName,
  /** The most token ids per row, start, stop and end included. */
  context: z.int().min(4),
  start: z.int().nonnegative(),
  /** The full stop that ends a phrase. */
  stop: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Fills up a row if the graph fixes its length. */
  pad: z.int().nonnegative(),
});

export const GroundingDinoManifest = Manifest.extend({
  family: z.literal("grounding-dino-sam2"),
  graphs: z.strictObject({ detector: GraphSpec, encoder: GraphSpec, decoder: GraphSpec }),
  images: z.strictObject({ detector: ImageInput, segmenter: ImageInput }),
  text: Text,
  detection: BoxChoice,
  masks: MaskDrawing,
})
  .strict()
  .superRefine(requireUsed);
export type GroundingDinoManifest = z.infer<typeof GroundingDinoManifest>;
