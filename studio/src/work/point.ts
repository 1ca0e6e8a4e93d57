import { type components, SegmentationError } from "segmentation-client";
import { api, client, overview, refreshAccount } from "../state/session.ts";
import type { Region } from "../viewer/types.ts";
import { onceOnline } from "./patience.ts";
import { FoundJob } from "./found-job.ts";
import {
  type Attempt,
  nextToDraw,
  pointedAt,
  type PointedObject,
  undone,
  withAttempt,
  without,
} from "./pointed.ts";
import { create, send } from "./send.ts";
import { IDLE, type Work } from "./work.ts";

/** A region was pointed at in the open picture: a job of its own draws the object. */
export function point(work: Work, region: Region, replacesLatest: boolean): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  work.problem.value = null;
  work.pointed.value = pointedAt(work.pointed.value, picture.key, region, replacesLatest);
  void drawAll(work);
}

/** Takes back the latest point or box in the open picture. A job that is still under way for it is canceled. */
export function undo(work: Work): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  const { objects, taken } = undone(work.pointed.value, picture.key);
  work.pointed.value = objects;
  if (taken?.state === "running" && taken.jobId !== null)
    // It may have ended meanwhile: then there is nothing to cancel.
    void api.value.cancelJob({ jobId: taken.jobId }).catch(() => {});
  void drawAll(work);
}

/** Takes an object out. */
export function removePointed(work: Work, object: PointedObject): void {
  work.pointed.value = without(work.pointed.value, object.number);
}

/** A region as a job names it. */
export function regionOn(taskId: string, region: Region): components["schemas"]["Region"] {
  if ("points" in region) return { taskId, points: [...region.points] };
  const [x, y, width, height] = region.box;
  return { taskId, box: [x, y, width, height] };
}

const drawing = new WeakSet<Work>();

/** Segments the selected objects one after another: the service caches a picture's features for the next one. */
async function drawAll(work: Work): Promise<void> {
  if (drawing.has(work)) return;
  drawing.add(work);
  try {
    for (let next = nextToDraw(work.pointed.value); next !== null; next = nextToDraw(work.pointed.value)) {
      // One job at a time: what the prompts look for goes first.
      if (overview.value?.access.maxActiveJobs === 1 && work.going.value.at !== "idle") await idle(work);
      else await draw(work, next.object.picture, next.attempt);
    }
  } finally {
    drawing.delete(work);
    work.pointing.value = IDLE;
    void refreshAccount().catch(() => {});
  }
}

const idle = (work: Work): Promise<void> =>
  new Promise((resolve) => {
    const dispose = work.going.subscribe(({ at }) => {
      if (at !== "idle") return;
      resolve();
      queueMicrotask(() => dispose());
    });
  });

async function draw(work: Work, key: string, { number, region }: Attempt): Promise<void> {
  const change = (news: Partial<Attempt>) =>
    (work.pointed.value = withAttempt(work.pointed.value, number, news));
  try {
    change({ state: "running" });
    work.pointing.value = { at: "sending" };
    const taskId = await send(work, key);
    if (taskId === null || region === null) return takeBack(work, number);
    work.pointing.value = { at: "running" };
    const request = { type: "image" as const, tasks: [taskId], regions: [regionOn(taskId, region)] };
    const jobId = await create(request, (going) => (work.pointing.value = going));
    work.pointing.value = { at: "running" };
    change({ jobId });
    await takeDrawn(work, number, jobId, taskId);
  } catch (error) {
    work.problem.value = { error, of: "pointing" };
    takeBack(work, number);
  }
}

/** Waits for the job of an attempt, and takes its mask. @throws SegmentationError if it has failed */
export async function takeDrawn(work: Work, number: number, jobId: string, taskId: string): Promise<void> {
  const isWanted = (): boolean =>
    work.pointed.value.some(({ attempts }) => attempts.some((attempt) => attempt.number === number));
  const [instance] = await onceOnline(async () => {
    const job = await client.value.waitForJob(jobId);
    if (job.status !== "failed") return await (await FoundJob.open(jobId)).instances(taskId);
    if (!isWanted()) return [];
    throw new SegmentationError("internal_error", job.tasks[0]?.error ?? job.error ?? "The job failed.", {
      jobId,
    });
  });
  if (!isWanted()) return;
  if (instance === undefined) {
    const sentence =
      "Nothing was found there. Click a different spot on the object, or drag a box around it.";
    work.problem.value = { error: new Error(sentence), of: "pointing" };
    return takeBack(work, number);
  }
  work.drawn.value = new Map(work.drawn.value).set(number, { ...instance, prompt: null });
  work.pointed.value = withAttempt(work.pointed.value, number, { state: "drawn" });
}

/** Drops a failed attempt; the object keeps the earlier ones. */
function takeBack(work: Work, number: number): void {
  work.pointed.value = work.pointed.value.flatMap((object) => {
    const [first, ...rest] = object.attempts.filter((attempt) => attempt.number !== number);
    return first === undefined ? [] : [{ ...object, attempts: [first, ...rest] as const }];
  });
}
