import { batch } from "@preact/signals";
import type { JobStatus } from "segmentation-client";
import { addedTo, jobGroupOf, isSearch, jobOf, sharedJobGroup } from "./job-group.ts";
import type { Inputs } from "../service/shared-inputs.ts";
import type { SavedWorkspace } from "../saved/saved-workspace.ts";
import { findFiles, restored } from "../saved/restore.ts";
import { findOriginal, saveOriginal } from "../saved/originals.ts";
import type { Owner } from "../service/owner.ts";
import { type Picture, pictureOfTask, taskIdOf } from "../rules/picture.ts";
import { refinedOf, takenUp } from "../rules/pointed-objects.ts";
import { promptsOf, type Search, shownWith, thresholdIn } from "../rules/searches.ts";
import { drawAll } from "./draw-objects.ts";
import { follow, segment, takeFound } from "./run.ts";
import { IDLE, Workspace } from "../workspace.ts";

/** Parts of a workspace's path after its first job. */
export interface Named {
  /** The jobs of objects that add to no other job. */
  readonly others: readonly string[];
  /** The search that is seen; null for the latest one. */
  readonly search: string | null;
}

/** Opens a workspace by one of its jobs, with all jobs of its group. Running jobs continue. */
export function openJob(owner: Owner, jobId: string, named: Named): Workspace {
  const workspace = new Workspace(owner);
  workspace.opening.value = true;
  workspace.firstJob.value = jobId;
  void asGoing(workspace, () => load(workspace, jobId, named));
  return workspace;
}

/** Opens the contents of a share's link: its job, and others of the same uploads. */
export function openShared(owner: Owner, inputs: Inputs): Workspace {
  const workspace = new Workspace(owner);
  workspace.inputs = inputs;
  workspace.opening.value = true;
  workspace.open(null);
  void asGoing(workspace, () => load(workspace, inputs.share.jobId, { others: [], search: null }));
  return workspace;
}

/** Resumes a saved workspace, with further jobs that belong to it by now. Running jobs continue. */
export function resumeSaved(saved: SavedWorkspace, owner: Owner, { others, search }: Named): Workspace {
  const workspace = restored(saved, owner);
  void resume(workspace, others, search);
  return workspace;
}

async function resume(workspace: Workspace, others: readonly string[], search: string | null): Promise<void> {
  await findFiles(workspace);
  void resumeSearch(workspace, search);
  try {
    // A request without an answer is known by its job only then.
    await drawAll(workspace);
    const { value: firstJob } = workspace.firstJob;
    const added = firstJob === null ? [] : await addedTo(workspace.owner, firstJob, workspace.jobIds.value);
    takeJobs(workspace, added);
    await takeOthers(workspace, others);
  } catch (error) {
    failed(workspace, error);
  }
}

/** Resumes the search that was seen, or the latest one. Repeats the request of a job whose response was lost. */
async function resumeSearch(workspace: Workspace, search: string | null): Promise<void> {
  const { asked, request, job, searches } = workspace;
  const { jobId = null, isUnheard = false } = asked.value ?? {};
  if (search !== null && search !== jobId && searches.value.some((each) => each.jobId === search))
    return see(workspace, search);
  if (jobId === null && isUnheard && request.value !== null) await segment(workspace, request.value);
  const seen = jobId ?? searches.value.at(-1)?.jobId ?? null;
  if (seen !== null && job.value === null) await asGoing(workspace, () => follow(workspace, seen));
}

function failed(workspace: Workspace, error: unknown): void {
  if (!workspace.owner.signal.aborted) workspace.problem.value = { error, of: "opening" };
}

/** Does something as the workspace's search. Its error says why the workspace can't be opened. */
async function asGoing(workspace: Workspace, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    failed(workspace, error);
  } finally {
    workspace.opening.value = false;
    workspace.going.value = IDLE;
  }
}

const searchOf = ({ jobId, prompts = [], createdAt, status }: JobStatus): Search => ({
  jobId,
  prompts,
  at: Date.parse(createdAt),
  request: null,
  ...(status === "failed" && { hasFailed: true }),
});

async function load(workspace: Workspace, jobId: string, { others, search }: Named): Promise<void> {
  const { owner } = workspace;
  workspace.going.value = { at: "running" };
  const { firstJob, jobs } =
    workspace.inputs === null
      ? await jobGroupOf(owner, jobId)
      : await sharedJobGroup(owner, workspace.inputs.share);
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
        workspace.inputs === null
          ? await findOriginal(owner.accountId, taskId)
          : { name: type === "video" ? "Video" : `Picture ${index + 1}`, file: null },
      ),
    ),
  );
  batch(() => {
    workspace.type.value = type;
    workspace.pictures.value = pictures;
    workspace.firstJob.value = firstJob;
    workspace.job.value = seen;
    // Before anything that may fail: they are saved with the workspace.
    takeJobs(workspace, jobs);
    workspace.prompts.value =
      type === "image" ? promptsOf(workspace.shownSearches.peek()) : (seen?.prompts ?? []);
  });
  if (seen?.status === "success") await takeFound(workspace);
  await takeOthers(workspace, others);
  workspace.opening.value = false;
  if (seen !== null && seen.status !== "success") await follow(workspace, seen.jobId);
}

/** Takes the jobs of a group into a workspace: searches, and objects that were pointed at. */
function takeJobs(workspace: Workspace, jobs: readonly JobStatus[]): void {
  for (const job of jobs.filter(isSearch)) workspace.addSearch(searchOf(job));
  for (const job of jobs)
    if (!isSearch(job)) {
      const [mask] = job.refines ?? [];
      point(workspace, job, mask && `${mask.jobId}/${job.tasks[0]?.taskId}/${mask.maskIndex}`);
    }
}

/**
 * Takes in further jobs of objects, and fetches the masks of all.
 * @param others their ids, and after a tilde the object that each corrects
 */
async function takeOthers(workspace: Workspace, others: readonly string[]): Promise<void> {
  for (const name of others) {
    const [jobId = "", object] = name.split("~");
    if (jobId !== "" && !workspace.jobIds.value.includes(jobId))
      point(workspace, await jobOf(workspace.owner, jobId), object);
  }
  void drawAll(workspace);
}

/** Takes in the job of an object that was pointed at. @param corrected the object whose mask it corrects */
function point(workspace: Workspace, { jobId, tasks, continues }: JobStatus, corrected = ""): void {
  const picture = workspace.pictureOf(tasks[0]?.taskId ?? "");
  const refines = refinedOf(corrected);
  const isKnown = refines !== null && workspace.jobIds.value.includes(refines.jobId);
  if (picture !== undefined)
    workspace.pointed.value = takenUp(
      workspace.pointed.value,
      picture.key,
      { jobId, continues: continues ?? null },
      isKnown ? refines : undefined,
    );
}

/** Opens another search of the workspace. */
export function see(workspace: Workspace, jobId: string): void {
  const search = workspace.searches.value.find((each) => each.jobId === jobId);
  if (search === undefined || workspace.going.value.at !== "idle" || workspace.searchId.value === jobId)
    return;
  batch(() => {
    workspace.problem.value = null;
    workspace.prompts.value =
      workspace.type.peek() === "image"
        ? promptsOf(shownWith(workspace.searches.peek(), jobId))
        : search.prompts;
    workspace.request.value = search.request;
    workspace.threshold.value = search.request === null ? null : thresholdIn(search.request);
    workspace.asked.value = { key: crypto.randomUUID(), jobId, isUnheard: false };
  });
  void asGoing(workspace, () => follow(workspace, jobId));
}

/** Takes the file of a picture or video that this browser did not have, and saves it. */
export async function reopen(workspace: Workspace, picture: Picture, file: File): Promise<void> {
  workspace.change(picture.key, { file, name: file.name });
  const taskId = taskIdOf(picture);
  if (taskId !== null) await saveOriginal(workspace.owner.accountId, taskId, { name: file.name, file });
}
