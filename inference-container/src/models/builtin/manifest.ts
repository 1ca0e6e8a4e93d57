/** Fields of a `builtin` model's manifest, besides the shared part. */
import { z } from "zod";
import { GraphSpec, ImageInput, Manifest } from "../manifest.ts";
import { BoxChoice, MaskDrawing } from "../sam2/manifest.ts";

const Share = z.number().min(0).max(1);

const Label = z.strictObject({
  name: z.string().min(1),
  /** The detector's score column. */
  column: z.int().nonnegative(),
  /** The WordNet senses of this label, as `lemma#number`. */
  senses: z.array(z.string().regex(/^[a-z_'-]+#[1-9]\d?$/)),
});
export type Label = z.infer<typeof Label>;

const Text = z.strictObject({
  tokenizer: z.string(),
  tokenizerConfig: z.string(),
  /** The most token ids of a prompt; the encoder drops later ones. */
  maxTokens: z.int().positive(),
  nouns: z.string(),
});

const Vocabulary = z.strictObject({
  labels: z.array(Label).min(1),
  /** Words that WordNet or the embedding would misread, with the labels that they mean; an empty list means none. */
  aliases: z.record(z.string(), z.array(z.string())),
});
export type Vocabulary = z.infer<typeof Vocabulary>;

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
  /** The `floor` of clips, where a wrong box would begin a track. */
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
  text: Text,
  vocabulary: Vocabulary,
  detection: Detection,
  matching: z.strictObject({
    /** The lowest cosine at which a prompt means a label. */
    similarity: Share,
    /** The lowest cosine at which a label is worth suggesting. */
    suggestion: Share,
  }),
  masks: MaskDrawing,
}).strict();
export type BuiltinManifest = z.infer<typeof BuiltinManifest>;
