import type { JobSummary } from "segmentation-client";
import { isUnderWay } from "./job-words.ts";

/** Job group, a row of the list: a job, and those that add to it. */
export interface JobGroup {
  /** The job to which the others add; the oldest of them if that was deleted or is not loaded yet. */
  readonly job: JobSummary;
  /** The job whose status the group shows: an unfinished one, or else the first. */
  readonly state: JobSummary;
  /** All of its jobs that are loaded, the newest first. */
  readonly jobs: readonly [JobSummary, ...JobSummary[]];
}

/** Groups each job with those that add to it, at the place of the newest of them. */
export function jobGroupsOf(jobs: readonly JobSummary[]): readonly JobGroup[] {
  const groups = Map.groupBy(jobs, ({ jobId, continues }) => continues ?? jobId);
  return [...groups].flatMap(([first, [newest, ...others]]) => {
    if (newest === undefined) return [];
    const all = [newest, ...others] as const;
    const job = all.find(({ jobId }) => jobId === first) ?? others.at(-1) ?? newest;
    return [{ job, state: all.find(isUnderWay) ?? job, jobs: all }];
  });
}

/** Tells whether each of some words is in one of a group's texts, in any case. */
export function isFound(words: string, texts: readonly string[]): boolean {
  const all = texts.join("\n").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
