import { batch, signal } from "@preact/signals";
import type { CreateJobRequest, JobStatus } from "segmentation-client";
import { api, client, refreshAccount } from "../state/session.ts";
import { onceOnline } from "./patience.ts";
import { FoundJob } from "./found-job.ts";
import { keepPrompts } from "./kept-prompts.ts";
import { create, sendAll } from "./send.ts";
import { type Going, IDLE, type Work } from "./work.ts";

const hasEnded = ({ status }: JobStatus): boolean => status === "success" || status === "failed";

function requestOf(work: Work, tasks: string[]): CreateJobRequest {
  const prompts = [...work.prompts.value];
  if (work.type.value === "video") return { type: "video", prompts, tasks, fps: work.fps.value };
  // Without the file there is nothing to show the masks on but the service's preview.
  const isElsewhere = work.pictures.value.some(({ file }) => file === null);
  return { ...(isElsewhere && { generatePreview: true }), type: "image", prompts, tasks };
}

/** What ends the waiting of a work whose job can't be created yet. */
const stops = new WeakMap<Work, AbortController>();

/** Gives up waiting until the work's job can be created. */
export const stopWaiting = (work: Work): void => stops.get(work)?.abort();

/**
 * Looks for what the prompts name in the work's pictures: sends them, creates the job, and follows it to its end.
 * @param again another job of these pictures, in place of one of the prompts
 */
export async function segment(work: Work, again?: CreateJobRequest): Promise<void> {
  if (work.going.value.at !== "idle") return;
  batch(() => {
    work.problem.value = null;
    work.going.value = { at: "sending" };
  });
  const stop = new AbortController();
  stops.set(work, stop);
  try {
    const jobId = await uninterrupted(work.pictures.value.length, async () => {
      const tasks = await sendAll(work);
      if (tasks === null) return null;
      const request: CreateJobRequest = again ?? requestOf(work, tasks);
      const report = (going: Going) => (work.going.value = going);
      const created = await create(request, report, stop.signal);
      work.request.value = request;
      keepPrompts(created, request.prompts ?? []);
      return created;
    });
    if (jobId !== null) await follow(work, jobId);
  } catch (error) {
    if (!stop.signal.aborted) work.problem.value = { error, of: "job" };
  } finally {
    work.going.value = IDLE;
    void refreshAccount().catch(() => {});
  }
}

/** Follows the work's job to its end, and takes what it has found. @throws SegmentationError */
export async function follow(work: Work, jobId: string): Promise<void> {
  work.going.value = { at: "running" };
  await onceOnline(async () => {
    for await (const { job, progress } of client.value.watchJob(jobId))
      batch(() => {
        if (work.job.value?.jobId !== jobId) {
          work.found.value = null;
          work.instances.value = new Map();
        }
        work.job.value = job;
        work.share.value = progress;
      });
  });
  await takeFound(work);
}

/** Takes what the work's job has found, if it has ended in success; a clip's screen fetches that itself. @throws SegmentationError */
export async function takeFound(work: Work): Promise<void> {
  const job = work.job.value;
  if (job === null || !hasEnded(job) || job.status === "failed" || job.type !== "image") return;
  work.found.value = await onceOnline(async () => await FoundJob.open(job.jobId));
}

/** Cancels the work's job. */
export async function cancel(work: Work): Promise<void> {
  const jobId = work.job.value?.jobId;
  if (jobId === undefined) return;
  try {
    await api.value.cancelJob({ jobId });
  } catch (error) {
    work.problem.value = { error, of: "job" };
  }
}

const NAME = "studio.sending";

/** How many files were on their way when this tab was reloaded or closed; 0 if none. They no longer exist. */
export const interrupted = signal(Number(sessionStorage.getItem(NAME) ?? 0));
sessionStorage.removeItem(NAME);

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Does something that a reload would interrupt: the browser asks first, and the tab remembers the interruption. */
async function uninterrupted<T>(files: number, act: () => Promise<T>): Promise<T> {
  interrupted.value = 0;
  sessionStorage.setItem(NAME, String(files));
  addEventListener("beforeunload", warn);
  try {
    return await act();
  } finally {
    removeEventListener("beforeunload", warn);
    sessionStorage.removeItem(NAME);
  }
}
