/** Shared manifest fields of the families that know a list of labels, and words for them. */
import { z } from "zod";
import { GraphSpec, Share } from "../manifest.ts";
import { BoxChoice, type SegmenterManifest } from "../sam2/manifest.ts";

const Label = z.strictObject({
  name: z.string().min(1),
  /** The embedded detector's score column. */
  column: z.int().nonnegative(),
  /** The WordNet senses of this label, as `lemma#number`. */
  senses: z.array(z.string().regex(/^[a-z_'-]+#[1-9]\d?$/)),
});
export type Label = z.infer<typeof Label>;

export const LabelText = z.strictObject({
  tokenizer: z.string(),
  tokenizerConfig: z.string(),
  /** The most token ids of a prompt; the encoder drops later ones. */
  maxTokens: z.int().positive(),
  nouns: z.string(),
});

export const LabelVocabulary = z.strictObject({
  labels: z.array(Label).min(1),
  /** Words that WordNet or the embedding would misread, with the labels that they mean; an empty list means none. */
  aliases: z.record(z.string(), z.array(z.string())),
});
export type LabelVocabulary = z.infer<typeof LabelVocabulary>;

export const LabelMatching = z.strictObject({
  /** The lowest cosine at which a prompt means a label. */
  similarity: Share,
  /** The lowest cosine at which a label is worth suggesting. */
  suggestion: Share,
});

/** Limits on the detections of a family of labels. */
export const LabelChoice = BoxChoice.omit({ nmsIou: true, maxBoxes: true }).extend({
  /** The `floor` of videos, where a wrong box would begin a track. */
  clipFloor: Share,
});
export type LabelChoice = z.infer<typeof LabelChoice>;

/** The part of a manifest for labels. */
export interface LabelsManifest extends SegmenterManifest {
  readonly graphs: SegmenterManifest["graphs"] & { readonly text: GraphSpec };
  readonly text: z.infer<typeof LabelText>;
  readonly vocabulary: LabelVocabulary;
  readonly matching: z.infer<typeof LabelMatching>;
  readonly detection: LabelChoice;
}
