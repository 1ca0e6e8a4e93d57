import { classKeyOf, distinctPrompts } from "@segmentation/masks";
import type { Answer } from "segmentation-client";

/** The prompts in a string: one per line, or separated by commas, without empty ones. */
const promptsIn = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((part) => part.trim().replaceAll(/\s+/g, " "))
    .filter((part) => part !== "");

/** A list of prompts with those of a string added, each once, in the order in which they were given. */
export const withPrompts = (prompts: readonly string[], text: string): readonly string[] =>
  distinctPrompts([...prompts, ...promptsIn(text)]);

/** Splits the typed text at the last separator: whole prompts, and the unfinished one. */
export function typedSoFar(text: string): { readonly whole: string; readonly rest: string } {
  const end = Math.max(text.lastIndexOf(","), text.lastIndexOf("\n"), text.lastIndexOf(";")) + 1;
  return { whole: text.slice(0, end), rest: text.slice(end) };
}

/** Returns a label in its existing spelling if only case or spaces differ, so that "Chair" and "chair" are one class. */
export const asSpelled = (labels: readonly string[], label: string): string =>
  labels.find((known) => classKeyOf(known) === classKeyOf(label)) ?? label;

/** The model's `vocabulary`: any phrase, or its labels. */
type Vocabulary = Answer<"retrieveModel">["vocabulary"];

/** Number of labels that are offered at a time. */
const MOST_OFFERED = 8;

/**
 * Tells whether a prompt differs from all of the model's labels, as they are written. The model also knows other words for its labels,
 * so this only marks words that may find nothing; the service decides.
 */
export function isOutside(vocabulary: Vocabulary, prompt: string): boolean {
  if (vocabulary === "open") return false;
  const word = prompt.toLowerCase();
  return !vocabulary.some((label) => label.toLowerCase() === word);
}

/**
 * The labels that begin with the typed text, then those with a word that does, without the chosen ones.
 * @param isBrowsing whether to offer all of them if nothing is typed
 */
export function offered(
  vocabulary: Vocabulary,
  typed: string,
  taken: readonly string[],
  isBrowsing = false,
): readonly string[] {
  const start = typed.trim().toLowerCase();
  if (vocabulary === "open" || (start === "" && !isBrowsing)) return [];
  const free = vocabulary.filter((label) => !taken.includes(label));
  if (start === "") return free.toSorted();
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
