/** Fields of a `sam3` model's manifest, besides the shared part. */
import { z } from "zod";
import { ClipText } from "../text/clip-tokenizer.ts";
import { GraphSpec, ImageInput, Manifest, requireUsed, Share } from "../manifest.ts";
import { MaskDrawing } from "../sam2/manifest.ts";

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

/** Calls `requireUsed` without the graph that a folder may lack. */
function requireParts({ graphs, ...manifest }: Sam3Manifest, context: z.RefinementCtx): void {
  const { regions, ...rest } = graphs;
  requireUsed({ ...manifest, graphs: { ...rest, ...(regions && { regions }) } }, context);
  if ((regions === undefined) !== (manifest.masks === undefined))
    context.addIssue("the graph regions and masks belong together: give both or neither");
}

const Fields = Manifest.extend({
  family: z.literal("sam3"),
  graphs: z.strictObject({
    image: GraphSpec,
    text: GraphSpec,
    decoder: GraphSpec,
    /** The tracker's decoder, which draws regions; absent if the export lacks it. */
    regions: GraphSpec.optional(),
  }),
  image: ImageInput,
  text: Text,
  /** The label of an absent box prompt: the decoder requires one without examples too. */
  absentBoxLabel: z.int(),
  outputs: Outputs,
  /** Settings for drawing regions; only with the graph `regions`. */
  masks: MaskDrawing.optional(),
}).strict();
export type Sam3Manifest = z.infer<typeof Fields>;
export const Sam3Manifest = Fields.superRefine(requireParts);
