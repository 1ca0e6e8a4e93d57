import { SegmentationError } from "segmentation-client";
import { overview, refreshAccount } from "../state/session.ts";
import type { Region } from "../viewer/types.ts";
import { onceOnline } from "./patience.ts";
import { FoundJob } from "./found-job.ts";
import {
  type Attempt,
  correctedBy,
  nextToDraw,
  pointedAt,
  type PointedObject,
  type Purpose,
  regionOn,
  undone,
  withAttempt,
} from "./pointed.ts";
import { create, send } from "./send.ts";
import { type Going, IDLE, type Work } from "./work.ts";

/** A region was pointed at in the open picture: a job of its own draws the object. */
export function point(work: Work, region: Region, purpose: Purpose): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  work.problem.value = null;
  work.pointed.value = pointedAt(work.pointed.value, picture.key, region, purpose);
  void drawAll(work);
}

/** Takes back the latest point or box in the open picture. A job that is still under way for it is canceled. */
export function undo(work: Work): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  const { objects, taken } = undone(work.pointed.value, picture.key);
  work.pointed.value = objects;
  if (taken?.state === "running" && taken.jobId !== null) cancelUnwanted(work, taken.jobId);
  void drawAll(work);
}

/** It may have ended meanwhile: then there is nothing to cancel. */
const cancelUnwanted = (work: Work, jobId: string): void =>
  void work.owner.api.cancelJob({ jobId }).catch(() => {});

/** Whether an attempt has not been taken back. */
const isWanted = (work: Work, number: number): boolean =>
  work.pointed.peek().some(({ attempts }) => attempts.some((attempt) => attempt.number === number));

/** Segments the selected objects one after another: the service caches a picture's features for the next one. */
export const drawAll = (work: Work): Promise<void> =>
  work.runner.objects.do("", async () => {
    for (let next = nextToDraw(work.pointed.value); next !== null; next = nextToDraw(work.pointed.value)) {
      const isNew = next.attempt.jobId === null;
      // One job at a time: what the prompts look for goes first.
      if (isNew && overview.value?.access.maxActiveJobs === 1 && work.going.value.at !== "idle")
        await idle(work);
      else await draw(work, next.object, next.attempt);
    }
    work.pointing.value = IDLE;
    void refreshAccount().catch(() => {});
  });

const idle = (work: Work): Promise<void> =>
  new Promise((resolve) => {
    const dispose = work.going.subscribe(({ at }) => {
      if (at !== "idle") return;
      resolve();
      queueMicrotask(() => dispose());
    });
  });

async function draw(work: Work, object: PointedObject, attempt: Attempt): Promise<void> {
  const { number, region, key } = attempt;
  const { owner, runner } = work;
  const change = (news: Partial<Attempt>) =>
    (work.pointed.value = withAttempt(work.pointed.value, number, news));
  try {
    change({ state: "running" });
    work.pointing.value = { at: "sending" };
    const taskId = await send(work, object.picture);
    if (taskId === null) return takeBack(work, number);
    work.pointing.value = { at: "running" };
    let { jobId } = attempt;
    if (jobId === null && region !== null) {
      // A picture that is paid for is corrected for nothing.
      const refines = correctedBy(object, attempt);
      const asked = { ...regionOn(taskId, region), ...(refines !== null && { refines }) };
      const request = { type: "image" as const, tasks: [taskId], regions: [asked] };
      const report = (going: Going) => (work.pointing.value = going);
      const wanted = (): boolean => isWanted(work, number);
      jobId = await create(owner, request, { key, report, signal: runner.signal, isWanted: wanted });
      if (jobId !== null && !wanted()) return cancelUnwanted(work, jobId);
    }
    if (jobId === null) return;
    work.pointing.value = { at: "running" };
    change({ jobId });
    await takeDrawn(work, number, jobId, taskId);
  } catch (error) {
    if (runner.signal.aborted) return;
    if (isWanted(work, number)) work.problem.value = { error, of: "pointing" };
    takeBack(work, number);
  }
}

/** Waits for the job of an attempt, and takes its mask. @throws SegmentationError if it has failed */
async function takeDrawn(work: Work, number: number, jobId: string, taskId: string): Promise<void> {
  const { owner } = work;
  const [instance] = await onceOnline(async () => {
    const job = await owner.client.waitForJob(jobId, { signal: owner.signal });
    if (job.status !== "failed") return await (await FoundJob.open(owner, jobId)).instances(taskId);
    if (!isWanted(work, number)) return [];
    throw new SegmentationError("internal_error", job.tasks[0]?.error ?? job.error ?? "The job failed.", {
      jobId,
    });
  });
  if (!isWanted(work, number)) return;
  if (instance === undefined) {
    const sentence =
      "Nothing was found there. Click a different spot on the object, or drag a box around it.";
    work.problem.value = { error: new Error(sentence), of: "pointing" };
    return takeBack(work, number);
  }
  work.drawn.value = new Map(work.drawn.value).set(number, { ...instance, prompt: null, label: null });
  work.pointed.value = withAttempt(work.pointed.value, number, { state: "drawn" });
}

/** Drops a failed attempt; the object keeps the earlier ones. */
function takeBack(work: Work, number: number): void {
  work.pointed.value = work.pointed.value.flatMap((object) => {
    const [first, ...rest] = object.attempts.filter((attempt) => attempt.number !== number);
    return first === undefined ? [] : [{ ...object, attempts: [first, ...rest] as const }];
  });
}
