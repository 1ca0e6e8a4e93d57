/** What the manifest of a `builtin` model adds to the shared part. */
import { z } from "zod";
import { ImageInput, Manifest } from "../manifest.ts";
import { BoxChoice, MaskDrawing } from "../sam2/manifest.ts";

const Share = z.number().min(0).max(1);

const Label = z.strictObject({
  name: z.string().min(1),
  /** The detector's score column. */
  column: z.int().nonnegative(),
  /** WordNet senses as `lemma#number`: what counts as this label. */
  senses: z.array(z.string().regex(/^[a-z_'-]+#[1-9]\d?$/)),
});
export type Label = z.infer<typeof Label>;

const Text = z.strictObject({
  tokenizer: z.string(),
  tokenizerConfig: z.string(),
  /** Token ids beyond this number are cut off. */
  maxTokens: z.int().positive(),
  nouns: z.string(),
});

const Vocabulary = z.strictObject({
  labels: z.array(Label).min(1),
  /** Words that WordNet or the embedding would misread, and the labels that they mean; an empty list if they mean none. */
  aliases: z.record(z.string(), z.array(z.string())),
});
export type Vocabulary = z.infer<typeof Vocabulary>;

export const BuiltinManifest = Manifest.extend({
  family: z.literal("builtin"),
  graphs: z.strictObject({
    detector: Manifest.shape.graphs.valueType,
    encoder: Manifest.shape.graphs.valueType,
    decoder: Manifest.shape.graphs.valueType,
    text: Manifest.shape.graphs.valueType,
  }),
  images: z.strictObject({ detector: ImageInput, segmenter: ImageInput }),
  text: Text,
  vocabulary: Vocabulary,
  detection: BoxChoice,
  matching: z.strictObject({
    /** The lowest cosine at which a prompt means a label. */
    similarity: Share,
    /** The lowest cosine at which a label is worth suggesting. */
    suggestion: Share,
  }),
  masks: MaskDrawing,
}).strict();
export type BuiltinManifest = z.infer<typeof BuiltinManifest>;
