import { classKeyOf, distinctPrompts } from "@segmentation/masks";
import type { CreateJobRequest } from "segmentation-client";

/** A job of a workspace's prompts: one of several searches of the same pictures. */
export interface Search {
  readonly jobId: string;
  readonly prompts: readonly string[];
  /** Time of the request, in milliseconds since 1970. */
  readonly at: number;
  /** Request, if it is known. */
  readonly request: CreateJobRequest | null;
  readonly hasFailed?: boolean;
}

/**
 * Returns the searches that are shown when one is looked at, the oldest first: that one, and each earlier one for other words. So
 * of each word the latest search counts. A failed search has found nothing.
 */
export function shownWith(searches: readonly Search[], jobId: string | null): readonly Search[] {
  const at = searches.findIndex((search) => search.jobId === jobId);
  const shown: Search[] = [];
  const words = new Set<string>();
  for (const search of searches.slice(0, at + 1).toReversed()) {
    const own = search.prompts.map(classKeyOf);
    if (search.hasFailed === true || own.some((word) => words.has(word))) continue;
    shown.unshift(search);
    for (const word of own) words.add(word);
  }
  return shown;
}

/** Returns the prompts of searches, each once. */
export const promptsOf = (searches: readonly Search[]): readonly string[] =>
  distinctPrompts(searches.flatMap(({ prompts }) => prompts));

/** Returns the prompts that no search has asked for. */
export function newPrompts(prompts: readonly string[], searches: readonly Search[]): readonly string[] {
  const asked = new Set(promptsOf(searches).map(classKeyOf));
  return prompts.filter((prompt) => !asked.has(classKeyOf(prompt)));
}

/** The threshold that a job asked for; null if it left it to the service. */
export const thresholdIn = (request: CreateJobRequest): number | null =>
  (request.type === "video" ? request.scoreThreshold : request.threshold) ?? null;
