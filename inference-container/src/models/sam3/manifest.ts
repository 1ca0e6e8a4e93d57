/** Fields of a `sam3` model's manifest, besides the shared part. */
import { z } from "zod";
import { ClipText } from "../text/clip-tokenizer.ts";
import { GraphSpec, ImageInput, Manifest, requireUsed, Share } from "../manifest.ts";

const Text = ClipText.extend({
  /** Positions at which the text encoder's mask is true. */
  mask: z.literal("tokens"),
});

const Outputs = z.strictObject({
  boxes: z.strictObject({
    format: z.literal("xyxy"),
    /** 0 to 1 over the picture. */
    space: z.literal("unit"),
  }),
  /** Of `scores` and `presence`: an object's score is the product of their sigmoids. */
  scores: z.literal("logits"),
  masks: z.literal("logits"),
  /** The least score of a result, at any threshold. */
  floor: Share,
  /** Objects between this score and `floor` may only continue a track. */
  faintFloor: Share,
  /** IoU of boxes above which the worse of two of one prompt is dropped; null keeps both. */
  nmsIou: Share.nullable(),
});
export type Outputs = z.infer<typeof Outputs>;

export const Sam3Manifest = Manifest.extend({
  family: z.literal("sam3"),
  graphs: z.strictObject({ image: GraphSpec, text: GraphSpec, decoder: GraphSpec }),
  image: ImageInput,
  text: Text,
  /** The label of an absent box prompt: the decoder requires one without examples too. */
  absentBoxLabel: z.int(),
  outputs: Outputs,
})
  .strict()
  .superRefine(requireUsed);
export type Sam3Manifest = z.infer<typeof Sam3Manifest>;
