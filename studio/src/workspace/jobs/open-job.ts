import { batch } from "@preact/signals";
import type { JobStatus } from "segmentation-client";
import { addedTo, entryOf, isSearch, jobOf, sharedEntry } from "./job-group.ts";
import type { Inputs } from "../service/shared-inputs.ts";
import type { KeptWork } from "../saved/saved-workspace.ts";
import { findFiles, restored } from "../saved/restore.ts";
import { findOriginal, keepOriginal } from "../saved/originals.ts";
import type { Owner } from "../service/owner.ts";
import { type Picture, pictureOfTask, taskIdOf } from "../rules/picture.ts";
import { refinedOf, takenUp } from "../rules/pointed-objects.ts";
import { drawAll } from "./point.ts";
import { follow, segment, takeFound } from "./run.ts";
import { IDLE, type Search, thresholdIn, Work } from "../workspace.ts";

/** What the path of a work says beside its first job. */
export interface Named {
  /** The jobs of objects that add to no other job. */
  readonly others: readonly string[];
  /** The search that is seen; null for the latest one. */
  readonly search: string | null;
}

/** Takes up a work by one of its jobs: all that belong to it are asked for. What is running continues. */
export function openJob(owner: Owner, jobId: string, named: Named): Work {
  const work = new Work(owner);
  work.opening.value = true;
  work.firstJob.value = jobId;
  void asGoing(work, () => load(work, jobId, named));
  return work;
}

/** Takes up what a share's link shows: its job, and others of the same uploads. */
export function openShared(owner: Owner, inputs: Inputs): Work {
  const work = new Work(owner);
  work.inputs = inputs;
  work.opening.value = true;
  work.open(null);
  void asGoing(work, () => load(work, inputs.share.jobId, { others: [], search: null }));
  return work;
}

/** Takes up a work as it was kept, with further jobs that belong to it by now. What is running continues. */
export function takeUp(kept: KeptWork, owner: Owner, { others, search }: Named): Work {
  const work = restored(kept, owner);
  void resume(work, others, search);
  return work;
}

async function resume(work: Work, others: readonly string[], search: string | null): Promise<void> {
  await findFiles(work);
  const { jobId = null, isUnheard = false } = work.asked.value ?? {};
  if (search !== null && search !== jobId && work.searches.value.some((each) => each.jobId === search))
    see(work, search);
  else if (jobId !== null) void asGoing(work, () => follow(work, jobId));
  else if (isUnheard && work.request.value !== null) void segment(work, work.request.value);
  try {
    // What was asked for without an answer is known by its job only then.
    await drawAll(work);
    const { value: firstJob } = work.firstJob;
    const added = firstJob === null ? [] : await addedTo(work.owner, firstJob, work.jobIds.value);
    await takeIn(work, added, others);
  } catch (error) {
    failed(work, error);
  }
}

function failed(work: Work, error: unknown): void {
  if (!work.owner.signal.aborted) work.problem.value = { error, of: "opening" };
}

/** Does something as the work's search. What it throws is why the work can't be opened. */
async function asGoing(work: Work, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    failed(work, error);
  } finally {
    work.opening.value = false;
    work.going.value = IDLE;
  }
}

const searchOf = ({ jobId, prompts = [], createdAt }: JobStatus): Search => ({
  jobId,
  prompts,
  at: Date.parse(createdAt),
  request: null,
});

async function load(work: Work, jobId: string, { others, search }: Named): Promise<void> {
  const { owner } = work;
  work.going.value = { at: "running" };
  const { firstJob, jobs } =
    work.inputs === null ? await entryOf(owner, jobId) : await sharedEntry(owner, work.inputs.share);
  const searches = jobs.filter(isSearch);
  const seen =
    searches.find((job) => job.jobId === (search ?? (jobId === firstJob ? null : jobId))) ??
    searches.at(-1) ??
    null;
  const { tasks = [], type = "image" } = jobs.toSorted((a, b) => b.totalItems - a.totalItems)[0] ?? {};
  const pictures = await Promise.all(
    tasks.map(async ({ taskId }, index) =>
      pictureOfTask(
        taskId,
        work.inputs === null
          ? await findOriginal(owner.accountId, taskId)
          : { name: type === "video" ? "Clip" : `Picture ${index + 1}`, file: null },
      ),
    ),
  );
  batch(() => {
    work.type.value = type;
    work.pictures.value = pictures;
    work.firstJob.value = firstJob;
    work.job.value = seen;
    work.prompts.value = seen?.prompts ?? [];
  });
  if (seen?.status === "success") await takeFound(work);
  await takeIn(work, jobs, others);
  work.opening.value = false;
  if (seen !== null && seen.status !== "success") await follow(work, seen.jobId);
}

/**
 * Takes the jobs of an entry into a work: searches, and objects that were pointed at, whose masks follow.
 * @param others further jobs of objects: their ids, and after a tilde the object that each corrects
 */
async function takeIn(work: Work, jobs: readonly JobStatus[], others: readonly string[]): Promise<void> {
  for (const job of jobs.filter(isSearch)) work.addSearch(searchOf(job));
  for (const job of jobs)
    if (!isSearch(job)) {
      const [mask] = job.refines ?? [];
      point(work, job, mask && `${mask.jobId}/${job.tasks[0]?.taskId}/${mask.maskIndex}`);
    }
  for (const name of others) {
    const [jobId = "", object] = name.split("~");
    if (jobId !== "" && !work.jobIds.value.includes(jobId))
      point(work, await jobOf(work.owner, jobId), object);
  }
  void drawAll(work);
}

/** Takes in the job of an object that was pointed at. @param corrected the object whose mask it corrects */
function point(work: Work, { jobId, tasks, continues }: JobStatus, corrected = ""): void {
  const picture = work.pictureOf(tasks[0]?.taskId ?? "");
  const refines = refinedOf(corrected);
  const isKnown = refines !== null && work.jobIds.value.includes(refines.jobId);
  if (picture !== undefined)
    work.pointed.value = takenUp(
      work.pointed.value,
      picture.key,
      { jobId, continues: continues ?? null },
      isKnown ? refines : undefined,
    );
}

/** Looks at another search of the work. */
export function see(work: Work, jobId: string): void {
  const search = work.searches.value.find((each) => each.jobId === jobId);
  if (search === undefined || work.going.value.at !== "idle" || work.searchId.value === jobId) return;
  batch(() => {
    work.problem.value = null;
    work.prompts.value = search.prompts;
    work.request.value = search.request;
    work.threshold.value = search.request === null ? null : thresholdIn(search.request);
    work.asked.value = { key: crypto.randomUUID(), jobId, isUnheard: false };
  });
  void asGoing(work, () => follow(work, jobId));
}

/** Takes the file of a picture or clip that this browser did not have, and keeps it. */
export async function reopen(work: Work, picture: Picture, file: File): Promise<void> {
  work.change(picture.key, { file, name: file.name });
  const taskId = taskIdOf(picture);
  if (taskId !== null) await keepOriginal(work.owner.accountId, taskId, { name: file.name, file });
}
