import { batch } from "@preact/signals";
import { type CreateJobRequest, type JobStatus, SegmentationError } from "segmentation-client";
import { refreshAccount } from "../../state/session.ts";
import { continuedBy } from "./job-group.ts";
import { regionsOn } from "../rules/clip-regions.ts";
import { FoundJob } from "../service/found-job.ts";
import { onceOnline } from "../service/once-online.ts";
import { create, sendAll } from "./send.ts";
import { type Asked, type Going, IDLE, type Work } from "../workspace.ts";

const hasEnded = ({ status }: JobStatus): boolean => status === "success" || status === "failed";

function requestOf(work: Work, tasks: string[]): CreateJobRequest {
  const prompts = [...work.prompts.value];
  const threshold = work.threshold.value ?? undefined;
  const regions = regionsOn(tasks[0] ?? "", work.regions.value);
  if (work.type.value === "video")
    return {
      type: "video",
      ...((prompts.length > 0 || regions.length === 0) && { prompts }),
      tasks,
      fps: work.fps.value,
      ...(regions.length > 0 && { regions }),
      ...(threshold !== undefined && { scoreThreshold: threshold }),
    };
  // Without the file there is nothing to show the masks on but the service's preview.
  const isElsewhere = work.pictures.value.some(({ file }) => file === null);
  return {
    ...(isElsewhere && { generatePreview: true }),
    type: "image",
    prompts,
    tasks,
    ...(threshold !== undefined && { threshold }),
  };
}

/**
 * The job that a work has asked for before by the same request, unless that job is known to have ended: then it is to be run
 * once more, by another key.
 */
function askedBefore({ asked, job, request }: Work, now: CreateJobRequest): Asked | null {
  const { value: before } = asked;
  const { continues: _continues, ...earlier } = request.value ?? {};
  if (before === null || JSON.stringify(earlier) !== JSON.stringify(now)) return null;
  const isOver = job.value !== null && job.value.jobId === before.jobId && hasEnded(job.value);
  return isOver ? null : before;
}

/** Whether the service may have created a job although the request for it failed. */
const mayBeThere = (error: unknown): boolean =>
  !(error instanceof SegmentationError) || ![400, 402, 403, 404, 409, 422, 429].includes(error.status ?? 0);

/** Gives up waiting until the work's job can be created. */
export const stopWaiting = (work: Work): void => work.runner.stopWaiting();

/**
 * Looks for what the prompts name in the work's pictures: sends them, creates the job, and follows it to its end.
 * @param again another job of these pictures, in place of one of the prompts
 */
export async function segment(work: Work, again?: CreateJobRequest): Promise<void> {
  if (work.going.value.at !== "idle") return;
  batch(() => {
    work.problem.value = null;
    work.wasCutOff.value = false;
    work.going.value = { at: "sending" };
  });
  const signal = work.runner.beginSearch();
  try {
    const jobId = await withWarning(() => jobOf(work, again, signal));
    if (jobId !== null) await follow(work, jobId);
  } catch (error) {
    if (!signal.aborted) work.problem.value = { error, of: "job" };
  } finally {
    work.going.value = IDLE;
    void refreshAccount().catch(() => {});
  }
}

/** Sends what isn't sent, and creates the job; null if something could not be sent. @throws SegmentationError */
async function jobOf(
  work: Work,
  again: CreateJobRequest | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const tasks = await sendAll(work);
  if (tasks === null) return null;
  signal.throwIfAborted();
  const { continues: _continues, ...wanted } = again ?? requestOf(work, tasks);
  const before = askedBefore(work, wanted);
  if (before !== null && before.jobId !== null) return before.jobId;
  return await work.runner.creations.do(() => createFor(work, wanted, before, signal));
}

/** Creates the job of a search, or asks for it again if it may be there. @throws SegmentationError */
async function createFor(
  work: Work,
  wanted: CreateJobRequest,
  before: Asked | null,
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted();
  const continues = before === null ? continuedBy(work, wanted.tasks) : work.request.value?.continues;
  const request = { ...wanted, ...(continues && { continues }) };
  const asked: Asked = { key: before?.key ?? crypto.randomUUID(), jobId: null, isUnheard: true };
  const note = (news: Partial<Asked>) => (work.asked.value = { ...asked, ...news });
  batch(() => {
    work.request.value = request;
    note({});
  });
  try {
    const report = (going: Going) => (work.going.value = going);
    const created = await create(work.owner, request, { key: asked.key, report, signal });
    if (created === null) return null;
    const { jobId } = created;
    batch(() => {
      if (created.continues === null) work.firstJob.value = jobId;
      work.addSearch({ jobId, prompts: request.prompts ?? [], at: Date.now(), request });
      // A new job is looked at as a whole.
      work.open(null);
      note({ jobId, isUnheard: false });
    });
    return jobId;
  } catch (error) {
    note({ isUnheard: !signal.aborted && mayBeThere(error) });
    throw error;
  }
}

/** Follows the work's job to its end, and takes what it has found. @throws SegmentationError */
export async function follow(work: Work, jobId: string): Promise<void> {
  const { owner } = work;
  work.going.value = { at: "running" };
  const ended = new AbortController();
  void takeSoFar(work, jobId, ended.signal);
  try {
    await onceOnline(async () => {
      for await (const { job, progress } of owner.client.watchJob(jobId, { signal: owner.signal }))
        batch(() => {
          if (work.job.value?.jobId !== jobId) {
            work.found.value = null;
            work.instances.value = new Map();
          }
          work.job.value = job;
          work.share.value = progress;
        });
    });
  } catch (error) {
    // It was deleted: the same may be asked for again.
    if (error instanceof SegmentationError && error.status === 404) work.asked.value = null;
    throw error;
  } finally {
    ended.abort();
  }
  await takeFound(work);
}

/** How long a running job is left alone before it is asked again for what it has found: the answer may be long. */
const SO_FAR_MS = 2_000;

/** Takes what a running job has found of the pictures that are done, whenever there are more of them, until it has ended. */
async function takeSoFar(work: Work, jobId: string, ended: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ended, work.owner.signal]);
  for (let taken = 0; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, SO_FAR_MS))) {
    const job = work.job.value;
    const done = job?.tasks.filter(({ status }) => status === "success").length ?? 0;
    if (job === null || job.jobId !== jobId || job.type !== "image" || hasEnded(job) || done === taken)
      continue;
    // What can't be had now is asked for again, or comes at the end.
    const found = await FoundJob.open(work.owner, jobId).catch(() => null);
    if (found === null || signal.aborted) continue;
    work.found.value = found;
    taken = done;
  }
}

/** Takes what the work's job has found, if it has ended in success; a clip's screen fetches that itself. @throws SegmentationError */
export async function takeFound(work: Work): Promise<void> {
  const job = work.job.value;
  if (job === null || !hasEnded(job) || job.status === "failed" || job.type !== "image") return;
  work.found.value = await onceOnline(async () => await FoundJob.open(work.owner, job.jobId));
}

/** Cancels the work's job. */
export async function cancel(work: Work): Promise<void> {
  const jobId = work.job.value?.jobId;
  if (jobId === undefined) return;
  try {
    await work.owner.api.cancelJob({ jobId });
  } catch (error) {
    work.problem.value = { error, of: "job" };
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
