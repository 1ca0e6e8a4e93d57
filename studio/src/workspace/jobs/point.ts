import { batch } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { overview, refreshAccount } from "../../state/session.ts";
import type { Region } from "../../viewer/types.ts";
import { continuedBy, discard } from "./job-group.ts";
import { FoundJob } from "../service/found-job.ts";
import type { Instance } from "../rules/instances.ts";
import { onceOnline, until } from "../service/once-online.ts";
import {
  type Attempt,
  correctedBy,
  latestAttempt,
  nextToDraw,
  pointedAt,
  type PointedObject,
  type Purpose,
  refinedOf,
  regionOn,
  undone,
  withAttempt,
  withoutAttempt,
  withOther,
} from "../rules/pointed-objects.ts";
import { create, send } from "./send.ts";
import { withUnder } from "../masks/background-colors.ts";
import { type Going, IDLE, type Work } from "../workspace.ts";

/** A region was pointed at in the open picture: a job of its own draws the object. */
export function point(work: Work, region: Region, purpose: Purpose): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  work.problem.value = null;
  work.pointed.value = pointedAt(work.pointed.value, picture.key, region, purpose);
  void drawAll(work);
}

/** Takes back the latest point or box in the open picture. Its job is deleted, also one that is still under way. */
export function undo(work: Work): void {
  const picture = work.openPicture.value;
  if (picture === null) return;
  const { objects, taken } = undone(work.pointed.value, picture.key, work.searchId.value);
  work.pointed.value = objects;
  if (taken !== null && taken.jobId !== null) discard(work, taken.jobId);
  void drawAll(work);
}

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
        await until(work.going, ({ at }) => at === "idle");
      else await draw(work, next.object, next.attempt);
    }
    work.pointing.value = IDLE;
    void refreshAccount().catch(() => {});
  });

async function draw(work: Work, object: PointedObject, attempt: Attempt): Promise<void> {
  const { number, region } = attempt;
  try {
    change(work, number, { state: "running" });
    work.pointing.value = { at: "sending" };
    const taskId = await send(work, object.picture);
    if (taskId === null) return takeBack(work, number);
    work.pointing.value = { at: "running" };
    let { jobId } = attempt;
    if (jobId === null && region !== null) {
      jobId = await work.runner.creations.do(() => createFor(work, object, attempt, taskId, region));
      if (jobId !== null && !isWanted(work, number)) return discard(work, jobId);
    }
    if (jobId === null) return;
    work.pointing.value = { at: "running" };
    change(work, number, { jobId });
    await takeDrawn(work, object, attempt, jobId, taskId);
  } catch (error) {
    if (work.runner.signal.aborted) return;
    // A job that was deleted elsewhere is missed by nobody.
    const isGone = attempt.jobId !== null && error instanceof SegmentationError && error.status === 404;
    if (isWanted(work, number) && !isGone) work.problem.value = { error, of: "pointing" };
    takeBack(work, number);
  }
}

/** Creates the job of an attempt; null if it was taken back meanwhile. @throws SegmentationError */
async function createFor(
  work: Work,
  object: PointedObject,
  attempt: Attempt,
  taskId: string,
  region: Region,
): Promise<string | null> {
  const { key, number } = attempt;
  // Asked for again by the same key, it is the same request.
  const { continues = continuedBy(work, [taskId]) } = attempt;
  change(work, number, { continues });
  // A picture that is paid for is corrected for nothing.
  const refines = correctedBy(object, attempt);
  const created = await create(
    work.owner,
    {
      type: "image",
      tasks: [taskId],
      regions: [{ ...regionOn(taskId, region), ...(refines !== null && { refines }) }],
      ...(continues !== null && { continues }),
    },
    {
      key,
      report: (going: Going) => (work.pointing.value = going),
      signal: work.runner.signal,
      isWanted: () => isWanted(work, number),
    },
  );
  if (created === null) return null;
  batch(() => {
    change(work, number, created);
    if (isWanted(work, number)) work.firstJob.value ??= created.jobId;
  });
  return created.jobId;
}

/** Waits for the job of an attempt, and takes its mask. @throws SegmentationError if it has failed */
async function takeDrawn(
  work: Work,
  object: PointedObject,
  attempt: Attempt,
  jobId: string,
  taskId: string,
): Promise<void> {
  const { owner } = work;
  const { number, region } = attempt;
  const drawnNow = await onceOnline(async () => {
    const job = await owner.client.waitForJob(jobId, { signal: owner.signal });
    if (job.status !== "failed") {
      const instances = await (await FoundJob.open(owner, jobId)).instances(taskId);
      return instances.map((each) => Object.assign({}, each, { prompt: null, label: null }));
    }
    if (!isWanted(work, number)) return [];
    throw new SegmentationError("internal_error", job.tasks[0]?.error ?? job.error ?? "The job failed.", {
      jobId,
    });
  });
  const all = await withUnder(work, object.picture, drawnNow);
  if (!isWanted(work, number)) return;
  // An attempt that was opened by its job has all masks of that, unless it is known which one it is.
  const [instance, ...others] = all.filter(
    (each) => attempt.maskIndex === undefined || indexOf(each) === attempt.maskIndex,
  );
  if (instance === undefined) {
    const sentence =
      "Nothing was found there. Click a different spot on the object, or drag a box around it.";
    takeBack(work, number);
    // What was opened by its job had found nothing before.
    if (region === null) return;
    work.problem.value = { error: new Error(sentence), of: "pointing" };
    return discard(work, jobId);
  }
  const drawn = new Map(work.drawn.value).set(number, instance);
  let pointed = withAttempt(work.pointed.value, number, { state: "drawn", maskIndex: indexOf(instance) });
  for (const other of others) {
    pointed = withOther(pointed, object, { ...attempt, jobId }, indexOf(other));
    drawn.set(latestAttempt(pointed), other);
  }
  batch(() => {
    work.drawn.value = drawn;
    work.pointed.value = pointed;
  });
}

const indexOf = ({ id }: Instance): number => refinedOf(id)?.maskIndex ?? 0;

/** Notes something new of an attempt. */
function change(work: Work, number: number, news: Partial<Attempt>): void {
  work.pointed.value = withAttempt(work.pointed.value, number, news);
}

/** Drops a failed attempt; the object keeps the earlier ones. */
function takeBack(work: Work, number: number): void {
  work.pointed.value = withoutAttempt(work.pointed.value, number);
}
