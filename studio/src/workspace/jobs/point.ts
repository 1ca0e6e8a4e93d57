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
  isTooUnsure,
  latestAttempt,
  nextToDraw,
  pointedAt,
  type PointedObject,
  type Purpose,
  refinedOf,
  regionOn,
  takenBack,
  undone,
  withAttempt,
  withoutAttempt,
  withOther,
} from "../rules/pointed-objects.ts";
import { create, send } from "./send.ts";
import { withUnder } from "../masks/background-colors.ts";
import { type Going, IDLE, type Workspace } from "../workspace.ts";

/** A region was pointed at in the open picture: a separate job draws the object. */
export function point(workspace: Workspace, region: Region, purpose: Purpose): void {
  const picture = workspace.openPicture.value;
  if (picture === null) return;
  workspace.takenBack.value = [];
  pointIn(workspace, picture.key, region, purpose);
}

function pointIn(workspace: Workspace, picture: string, region: Region, purpose: Purpose): void {
  workspace.problem.value = null;
  workspace.pointed.value = pointedAt(
    workspace.pointed.value,
    picture,
    region,
    purpose,
    workspace.activeClass.peek(),
  );
  void drawAll(workspace);
}

/** Redoes the last undone point in a picture, by another job. */
export function redo(workspace: Workspace, key: string): void {
  const last = workspace.takenBack.value.findLast(({ picture }) => picture === key);
  if (last === undefined) return;
  workspace.takenBack.value = workspace.takenBack.value.filter((each) => each !== last);
  pointIn(workspace, key, last.region, last.purpose);
}

/** Undoes the latest point or box in the open picture, and deletes its job, also an unfinished one. */
export function undo(workspace: Workspace): void {
  const picture = workspace.openPicture.value;
  if (picture === null) return;
  const { objects, taken } = undone(workspace.pointed.value, picture.key, workspace.shownIds.value);
  workspace.pointed.value = objects;
  if (taken === null) return;
  const undoneEdits = workspace.edits.value.get(picture.key)?.undone.length ?? 0;
  const again = takenBack(taken.object, taken.attempt, undoneEdits);
  if (again !== null) workspace.takenBack.value = [...workspace.takenBack.value, again];
  if (taken.attempt.jobId !== null) discard(workspace, taken.attempt.jobId);
  void drawAll(workspace);
}

/** Tells whether an attempt has not been taken back. */
const isWanted = (workspace: Workspace, number: number): boolean =>
  workspace.pointed.peek().some(({ attempts }) => attempts.some((attempt) => attempt.number === number));

/** Segments the selected objects one after another: the service caches a picture's features for the next one. */
export const drawAll = (workspace: Workspace): Promise<void> =>
  workspace.runner.objects.do("", async () => {
    for (
      let next = nextToDraw(workspace.pointed.value);
      next !== null;
      next = nextToDraw(workspace.pointed.value)
    ) {
      const isNew = next.attempt.jobId === null;
      // One job at a time: what the prompts look for goes first.
      if (isNew && overview.value?.access.maxActiveJobs === 1 && workspace.going.value.at !== "idle")
        await until(workspace.going, ({ at }) => at === "idle");
      else await draw(workspace, next.object, next.attempt);
    }
    workspace.pointing.value = IDLE;
    void refreshAccount().catch(() => {});
  });

async function draw(workspace: Workspace, object: PointedObject, attempt: Attempt): Promise<void> {
  const { number, region } = attempt;
  try {
    change(workspace, number, { state: "running" });
    workspace.pointing.value = { at: "sending" };
    const taskId = await send(workspace, object.picture);
    if (taskId === null) return takeBack(workspace, number);
    workspace.pointing.value = { at: "running" };
    let { jobId } = attempt;
    if (jobId === null && region !== null) {
      jobId = await workspace.runner.creations.do(() =>
        createFor(workspace, object, attempt, taskId, region),
      );
      if (jobId !== null && !isWanted(workspace, number)) return discard(workspace, jobId);
    }
    if (jobId === null) return;
    workspace.pointing.value = { at: "running" };
    change(workspace, number, { jobId });
    await takeDrawn(workspace, object, attempt, jobId, taskId);
  } catch (error) {
    if (workspace.runner.signal.aborted) return;
    // A job that was deleted elsewhere needs no deletion.
    const isGone = attempt.jobId !== null && error instanceof SegmentationError && error.status === 404;
    if (isWanted(workspace, number) && !isGone) workspace.problem.value = { error, of: "pointing" };
    takeBack(workspace, number);
  }
}

/** Creates the job of an attempt; null if it was taken back meanwhile. @throws SegmentationError */
async function createFor(
  workspace: Workspace,
  object: PointedObject,
  attempt: Attempt,
  taskId: string,
  region: Region,
): Promise<string | null> {
  const { key, number, label } = attempt;
  // Asked for again by the same key, it is the same request.
  const { continues = continuedBy(workspace, [taskId]) } = attempt;
  change(workspace, number, { continues });
  // A picture that is paid for is corrected for nothing.
  const refines = correctedBy(object, attempt);
  const created = await create(
    workspace.owner,
    {
      type: "image",
      tasks: [taskId],
      regions: [
        { ...regionOn(taskId, region), ...(label && { label }), ...(refines !== null && { refines }) },
      ],
      ...(continues !== null && { continues }),
    },
    {
      key,
      report: (going: Going) => (workspace.pointing.value = going),
      signal: workspace.runner.signal,
      isWanted: () => isWanted(workspace, number),
    },
  );
  if (created === null) return null;
  batch(() => {
    change(workspace, number, created);
    if (isWanted(workspace, number)) workspace.firstJob.value ??= created.jobId;
  });
  return created.jobId;
}

/** Waits for the job of an attempt, and takes its mask. @throws SegmentationError if it has failed */
async function takeDrawn(
  workspace: Workspace,
  object: PointedObject,
  attempt: Attempt,
  jobId: string,
  taskId: string,
): Promise<void> {
  const { owner } = workspace;
  const { number, region } = attempt;
  const drawnNow = await onceOnline(async () => {
    const job = await owner.client.waitForJob(jobId, { signal: owner.signal });
    if (job.status !== "failed") {
      const instances = await (await FoundJob.open(owner, jobId)).instances(taskId);
      return instances.map((each) => Object.assign({}, each, { prompt: null }));
    }
    if (!isWanted(workspace, number)) return [];
    throw new SegmentationError("internal_error", job.tasks[0]?.error ?? job.error ?? "The job failed.", {
      jobId,
    });
  });
  const all = await withUnder(workspace, object.picture, drawnNow);
  if (!isWanted(workspace, number)) return;
  // An attempt that was opened by its job has all masks of that, unless it is known which one it is.
  const [instance, ...others] = all.filter(
    (each) => attempt.maskIndex === undefined || indexOf(each) === attempt.maskIndex,
  );
  const isNew = region !== null && object.refines === undefined && object.attempts.length === 1;
  if (instance === undefined || (isNew && isTooUnsure(instance.confidence, workspace.threshold.value))) {
    const sentence = nothingThere(instance?.confidence);
    takeBack(workspace, number);
    // What was opened by its job had found nothing before.
    if (region === null) return;
    workspace.problem.value = { error: new Error(sentence), of: "pointing" };
    return discard(workspace, jobId);
  }
  const drawn = new Map(workspace.drawn.value).set(number, instance);
  let pointed = withAttempt(workspace.pointed.value, number, {
    state: "drawn",
    maskIndex: indexOf(instance),
  });
  for (const other of others) {
    pointed = withOther(pointed, object, { ...attempt, jobId }, indexOf(other));
    drawn.set(latestAttempt(pointed), other);
  }
  batch(() => {
    workspace.drawn.value = drawn;
    workspace.pointed.value = pointed;
  });
}

/** Explains why a point or a box made no object. The service has processed the picture for it. */
const nothingThere = (confidence?: number): string =>
  `${confidence === undefined ? "Nothing was found there." : `The best mask there is only ${Math.round(confidence * 100)}% sure, so it was not kept.`} The unit is spent. Point at a different spot on the object, or draw a box around it.`;

const indexOf = ({ id }: Instance): number => refinedOf(id)?.maskIndex ?? 0;

/** Notes something new of an attempt. */
function change(workspace: Workspace, number: number, news: Partial<Attempt>): void {
  workspace.pointed.value = withAttempt(workspace.pointed.value, number, news);
}

/** Drops a failed attempt; the object keeps the earlier ones. */
function takeBack(workspace: Workspace, number: number): void {
  workspace.pointed.value = withoutAttempt(workspace.pointed.value, number);
}
