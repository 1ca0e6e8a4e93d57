import { batch } from "@preact/signals";
import { type CreateJobRequest, type JobStatus, mapParallel, SegmentationError } from "segmentation-client";
import { refreshAccount } from "../../state/session.ts";
import { continuedBy } from "./job-group.ts";
import { mayDecode } from "../decoding/instant.ts";
import { regionsOn } from "../rules/clip-regions.ts";
import { takeResults } from "../masks/fetch-masks.ts";
import { promptsOf } from "../rules/searches.ts";
import { Found } from "../service/found.ts";
import { FoundJob } from "../service/found-job.ts";
import { onceOnline } from "../service/once-online.ts";
import { create, sendAll } from "./send.ts";
import { type Asked, type Going, IDLE, type Workspace } from "../workspace.ts";

const hasEnded = ({ status }: JobStatus): boolean => status === "success" || status === "failed";

function requestOf(workspace: Workspace, tasks: string[]): CreateJobRequest {
  const { value: added } = workspace.addedPrompts;
  // Earlier results stay: only the other words are searched for.
  const prompts = [...(added.length > 0 ? added : workspace.prompts.value)];
  const threshold = workspace.threshold.value ?? undefined;
  const regions = regionsOn(tasks[0] ?? "", workspace.regions.value);
  if (workspace.type.value === "video")
    return {
      type: "video",
      ...((prompts.length > 0 || regions.length === 0) && { prompts }),
      tasks,
      fps: workspace.fps.value,
      // Another run would cost each frame again.
      generatePreview: true,
      formats: ["coco"],
      ...(regions.length > 0 && { regions }),
      ...(threshold !== undefined && { scoreThreshold: threshold }),
    };
  // Without the file there is nothing to show the masks on but the service's preview.
  const isElsewhere = workspace.pictures.value.some(({ file }) => file === null);
  return {
    ...(isElsewhere && { generatePreview: true }),
    type: "image",
    prompts,
    tasks,
    // Pointing at the picture costs no unit more then. Of a batch, most pictures would not need theirs.
    ...(tasks.length === 1 && mayDecode(workspace) && { formats: ["embedding" as const] }),
    ...(threshold !== undefined && { threshold }),
  };
}

/** A request for comparison with others: without `continues` and the embedding. */
const comparable = ({ continues: _continues, formats = [], ...request }: CreateJobRequest): string =>
  JSON.stringify({ ...request, formats: [...formats].filter((format) => format !== "embedding") });

/**
 * The job that a workspace has asked for before by the same request, unless that job is known to have ended: then it is to be run
 * once more, by another key.
 */
function askedBefore({ asked, job, request }: Workspace, now: CreateJobRequest): Asked | null {
  const { value: before } = asked;
  if (before === null || request.value === null || comparable(request.value) !== comparable(now)) return null;
  const isOver = job.value !== null && job.value.jobId === before.jobId && hasEnded(job.value);
  return isOver ? null : before;
}

/** Tells whether the service may have created a job although the request for it failed. */
const mayBeThere = (error: unknown): boolean =>
  !(error instanceof SegmentationError) || ![400, 402, 403, 404, 409, 422, 429].includes(error.status ?? 0);

/** Gives up waiting until the workspace's job can be created. */
export const stopWaiting = (workspace: Workspace): void => workspace.runner.stopWaiting();

/**
 * Searches the workspace's pictures for the prompts: sends them, creates the job, and waits for its end.
 * @param again another job of these pictures, in place of one of the prompts
 */
export async function segment(workspace: Workspace, again?: CreateJobRequest): Promise<void> {
  if (workspace.going.value.at !== "idle") return;
  batch(() => {
    workspace.problem.value = null;
    workspace.wasCutOff.value = false;
    workspace.going.value = { at: "sending" };
  });
  const signal = workspace.runner.beginSearch();
  try {
    const jobId = await withWarning(() => jobOf(workspace, again, signal));
    if (jobId !== null) await follow(workspace, jobId);
  } catch (error) {
    if (!signal.aborted) workspace.problem.value = { error, of: "job" };
  } finally {
    workspace.going.value = IDLE;
    void refreshAccount().catch(() => {});
  }
}

/** Sends unsent pictures, and creates the job; null if one could not be sent. @throws SegmentationError */
async function jobOf(
  workspace: Workspace,
  again: CreateJobRequest | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const tasks = await sendAll(workspace);
  if (tasks === null) return null;
  signal.throwIfAborted();
  const { continues: _continues, ...wanted } = again ?? requestOf(workspace, tasks);
  const before = askedBefore(workspace, wanted);
  if (before !== null && before.jobId !== null) return before.jobId;
  return await workspace.runner.creations.do(() => createFor(workspace, wanted, before, signal));
}

/** Creates the job of a search, or asks for it again if it may be there. @throws SegmentationError */
async function createFor(
  workspace: Workspace,
  wanted: CreateJobRequest,
  before: Asked | null,
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted();
  const continues =
    before === null ? continuedBy(workspace, wanted.tasks) : workspace.request.value?.continues;
  const request = { ...wanted, ...(continues && { continues }) };
  const asked: Asked = { key: before?.key ?? crypto.randomUUID(), jobId: null, isUnheard: true };
  const note = (news: Partial<Asked>) => (workspace.asked.value = { ...asked, ...news });
  batch(() => {
    workspace.request.value = request;
    note({});
  });
  try {
    const report = (going: Going) => (workspace.going.value = going);
    const created = await create(workspace.owner, request, { key: asked.key, report, signal });
    if (created === null) return null;
    const { jobId } = created;
    batch(() => {
      if (created.continues === null) workspace.firstJob.value = jobId;
      workspace.addSearch({ jobId, prompts: request.prompts ?? [], at: Date.now(), request });
      note({ jobId, isUnheard: false });
      const shown = workspace.shownSearches.peek();
      // A new job is looked at as a whole.
      if (shown.length < 2) workspace.open(null);
      if (request.type === "image") workspace.prompts.value = promptsOf(shown);
    });
    return jobId;
  } catch (error) {
    note({ isUnheard: !signal.aborted && mayBeThere(error) });
    throw error;
  }
}

/** Waits for the end of the workspace's job, and takes its results. @throws SegmentationError */
export async function follow(workspace: Workspace, jobId: string): Promise<void> {
  const { owner } = workspace;
  workspace.going.value = { at: "running" };
  const ended = new AbortController();
  void takeSoFar(workspace, jobId, ended.signal);
  try {
    await onceOnline(async () => {
      for await (const { job, progress } of owner.client.watchJob(jobId, { signal: owner.signal }))
        batch(() => {
          if (workspace.job.value?.jobId !== jobId) takeResults(workspace, knownFound(workspace));
          workspace.job.value = job;
          workspace.share.value = progress;
        });
    });
  } catch (error) {
    // It was deleted: the same request may be repeated.
    if (error instanceof SegmentationError && error.status === 404) workspace.asked.value = null;
    throw error;
  } finally {
    ended.abort();
  }
  await takeFound(workspace);
}

/** Pause between requests for the results of a running job; the answer may be long. */
const SO_FAR_MS = 2_000;

/** Available results of the shown searches. */
function knownFound({ found, shownSearches, searchId }: Workspace): Found | null {
  const known = (found.peek()?.jobs ?? []).filter(
    ({ jobId }) => jobId !== searchId.peek() && shownSearches.peek().some((search) => search.jobId === jobId),
  );
  return known.length === 0 ? null : new Found(known);
}

/** Asks for the results of the searches that are shown; null if there are none. @throws SegmentationError */
async function shownFound(
  { owner, found, shownSearches }: Workspace,
  running: string | null,
): Promise<Found | null> {
  const there = found.peek()?.jobs ?? [];
  const jobs = await mapParallel(shownSearches.peek(), PARALLEL, owner.signal, async ({ jobId }) => {
    const known = there.find((job) => job.jobId === jobId && job.isFinal);
    return known ?? (await FoundJob.open(owner, jobId, jobId !== running).catch(unlessGone));
  });
  const all = jobs.filter((job) => job !== null);
  return all.length === 0 ? null : new Found(all);
}

/** Number of parallel requests for results. */
const PARALLEL = 4;

/** A search that was deleted, or that has failed, has no results. @throws any other error */
function unlessGone(error: unknown): null {
  if (error instanceof SegmentationError && ["job_not_found", "job_not_ready"].includes(error.code))
    return null;
  throw error;
}

/** Takes a running job's results for finished pictures, whenever there are more, until it has ended. */
async function takeSoFar(workspace: Workspace, jobId: string, ended: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ended, workspace.owner.signal]);
  // Earlier searches that are shown, too, have their results already.
  for (
    let taken = workspace.shownSearches.peek().length > 1 ? -1 : 0;
    !signal.aborted;
    await new Promise((resolve) => setTimeout(resolve, SO_FAR_MS))
  ) {
    const job = workspace.job.value;
    const done = job?.tasks.filter(({ status }) => status === "success").length ?? 0;
    if (job === null || job.jobId !== jobId || job.type !== "image" || hasEnded(job) || done === taken)
      continue;
    // A failed fetch is repeated, or its result comes at the end.
    const found = await shownFound(workspace, jobId).catch(() => null);
    if (found === null || signal.aborted) continue;
    takeResults(workspace, found);
    if (done === 0 || found.jobs.at(-1)?.jobId === jobId) taken = done;
  }
}

/** Takes the results of the searches on the screen, once the latest one has ended; a video's screen fetches that itself. @throws SegmentationError */
export async function takeFound(workspace: Workspace): Promise<void> {
  const job = workspace.job.value;
  if (job === null || !hasEnded(job) || job.type !== "image") return;
  if (job.status === "failed") workspace.noteFailure(job.jobId);
  takeResults(workspace, await onceOnline(async () => await shownFound(workspace, null)));
}

/** Cancels the workspace's job. */
export async function cancel(workspace: Workspace): Promise<void> {
  const jobId = workspace.job.value?.jobId;
  if (jobId === undefined) return;
  try {
    await workspace.owner.api.cancelJob({ jobId });
  } catch (error) {
    workspace.problem.value = { error, of: "job" };
  }
}

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Does something that a reload would interrupt: the browser asks first. */
async function withWarning<T>(act: () => Promise<T>): Promise<T> {
  addEventListener("beforeunload", warn);
  try {
    return await act();
  } finally {
    removeEventListener("beforeunload", warn);
  }
}
