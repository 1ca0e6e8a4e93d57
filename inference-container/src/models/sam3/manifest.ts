/** What the manifest of a `sam3` model adds to the shared part. */
import { z } from "zod";
import { FileName, GraphSpec, ImageInput, Manifest, requireListed } from "../manifest.ts";

const Share = z.number().min(0).max(1);

const Text = z.strictObject({
  /** A `tokenizer.json` of CLIP's byte pairs. */
  tokenizer: FileName,
  /** Token ids per row, start and end included. */
  context: z.int().min(3),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Fills up a row. */
  pad: z.int().nonnegative(),
  /** Where the text encoder's mask is true. */
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
  /** Objects below this score never stand alone, whatever the request's threshold. */
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
  /** The label of an absent box prompt. There are never box prompts here, but the decoder requires the label. */
  absentBoxLabel: z.int(),
  outputs: Outputs,
})
  .strict()
  .superRefine(({ files, graphs, text, golden }, context) => {
    const names = [...Object.values(graphs).map(({ file }) => file), text.tokenizer, golden.picture];
    requireListed(files, names, context);
  });
export type Sam3Manifest = z.infer<typeof Sam3Manifest>;
