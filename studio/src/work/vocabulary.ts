import type { Answer } from "segmentation-client";

/** The model's `vocabulary`: any phrase, or its labels. */
export type Vocabulary = Answer<"retrieveModel">["vocabulary"];

/** How many labels are offered at a time. */
const MOST_OFFERED = 8;

/**
 * Whether a prompt is none of the model's labels, as they are written. The model also knows other words for its labels, so
 * this only marks what may find nothing; the service decides.
 */
export function isOutside(vocabulary: Vocabulary, prompt: string): boolean {
  if (vocabulary === "open") return false;
  const word = prompt.toLowerCase();
  return !vocabulary.some((label) => label.toLowerCase() === word);
}

/** The labels that begin with what is typed, then those with a word that does, without those that are taken. */
export function offered(vocabulary: Vocabulary, typed: string, taken: readonly string[]): readonly string[] {
  const start = typed.trim().toLowerCase();
  if (vocabulary === "open" || start === "") return [];
  const free = vocabulary.filter((label) => !taken.includes(label));
  const first = free.filter((label) => label.toLowerCase().startsWith(start));
  const later = free.filter(
    (label) =>
      !first.includes(label) &&
      label
        .toLowerCase()
        .split(/\W+/)
        .some((word) => word.startsWith(start)),
  );
  return [...first, ...later].slice(0, MOST_OFFERED);
}
