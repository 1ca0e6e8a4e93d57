import { batch } from "@preact/signals";
import type { Region } from "../../viewer/types.ts";
import { decode, interrupt, isReady, prepare, resume } from "../decoding/instant.ts";
import { isNew, pointedName } from "../masks/objects.ts";
import type { Instance } from "../rules/instances.ts";
import {
  correctedBy,
  isTooUnsure,
  keptIn,
  latestAttempt,
  type Pending,
  pointedAt,
  type Purpose,
  takenBack,
  undone,
  withAttempt,
} from "../rules/pointed-objects.ts";
import { change, drawAll, findAttempt, takeBack } from "./draw-objects.ts";
import { discard } from "./job-group.ts";
import type { Workspace } from "../workspace.ts";

/** A region was pointed at in the open picture: this browser draws the object, or a job does. Ends when this browser has drawn it. */
export async function point(workspace: Workspace, region: Region, purpose: Purpose): Promise<void> {
  const picture = workspace.openPicture.value;
  if (picture === null) return;
  workspace.takenBack.value = [];
  await pointIn(workspace, picture.key, region, purpose);
}

async function pointIn(
  workspace: Workspace,
  picture: string,
  region: Region,
  purpose: Purpose,
): Promise<void> {
  workspace.problem.value = null;
  const isInstant = isReady(workspace, picture) && region.findAll !== true;
  workspace.pointed.value = pointedAt(
    workspace.pointed.value,
    picture,
    region,
    purpose,
    workspace.activeClass.peek(),
    isInstant ? "new" : "waiting",
  );
  if (isInstant) return await drawNew(workspace, latestAttempt(workspace.pointed.value));
  void prepare(workspace, picture);
  void resume(workspace, picture);
  void drawAll(workspace);
}

/**
 * The file of the mask that a region in the open picture would correct; null for none, and undefined if it is not here.
 */
export function maskToCorrect(workspace: Workspace, purpose: Purpose): Blob | null | undefined {
  const key = workspace.openPicture.value?.key ?? "";
  const imagined = pointedAt(workspace.pointed.value, key, { points: [] }, purpose);
  const [pending] = imagined.flatMap((object) =>
    object.attempts
      .filter(({ number }) => number === latestAttempt(imagined))
      .map((attempt) => ({ object, attempt })),
  );
  return pending && maskOf(workspace, pending);
}

/** Draws a new attempt in this browser; if it can't, a job does. */
async function drawNew(workspace: Workspace, number: number): Promise<void> {
  const pending = findAttempt(workspace, number);
  const region = pending?.attempt.region ?? null;
  if (pending === null || region === null) return;
  const { object, attempt } = pending;
  const { picture } = object;
  const corrects = correctedBy(object, attempt);
  const prior = maskOf(workspace, pending);
  try {
    if (prior === undefined) return toService(workspace, number);
    const { area, confidence, ...drawn } = await decode(workspace, picture, region, prior);
    if (findAttempt(workspace, number) === null) return;
    const isFirst = corrects === null && object.attempts.length === 1;
    if (area === 0 || (isFirst && isTooUnsure(confidence, workspace.threshold.value))) {
      takeBack(workspace, [pending]);
      workspace.problem.value = { error: new Error(nothingNew(area, confidence)), of: "pointing" };
      return;
    }
    const id = `${pointedName(workspace, object)}/${number}`;
    const label = attempt.label ?? null;
    const instance = { ...drawn, id, object: id, prompt: null, label, confidence, number: 1 };
    batch(() => {
      workspace.drawn.value = new Map(workspace.drawn.value).set(number, instance);
      change(workspace, [number], { isDecoded: true, corrects });
    });
  } catch {
    interrupt(workspace, picture);
    toService(workspace, number);
  }
}

function toService(workspace: Workspace, number: number): void {
  // It may have been kept meanwhile.
  if (findAttempt(workspace, number)?.attempt.state !== "new") return;
  change(workspace, [number], { state: "waiting" });
  void drawAll(workspace);
}

/** The file of the mask that an attempt corrects; null for none, and undefined if it is not here. */
function maskOf(workspace: Workspace, { object, attempt }: Pending): Blob | null | undefined {
  if (correctedBy(object, attempt) === null) return null;
  const { attempts, picture, refines } = object;
  const before = attempts.slice(0, attempts.indexOf(attempt)).findLast(({ state }) => state === "drawn");
  if (before !== undefined) return workspace.drawn.value.get(before.number)?.png;
  return workspace.instances.value.get(picture)?.find((each) => each.object === refines?.object)?.png;
}

/** Explains why a point or a box made no object, which cost nothing. */
const nothingNew = (area: number, confidence: number): string =>
  `${area === 0 ? "Nothing was found there." : `The best mask there is only ${Math.round(confidence * 100)}% sure, so it was not kept.`} Point at a different spot on the object, or draw a box around it.`;

/** Keeps the new objects of a picture: a job draws them for everybody. */
export function keep(workspace: Workspace, picture: string): void {
  workspace.pointed.value = keptIn(workspace.pointed.value, picture);
  void drawAll(workspace);
}

/** Drops an object that only this page has. */
export function drop(workspace: Workspace, { object }: Instance): void {
  workspace.pointed.value = workspace.pointed.value.filter((each) => pointedName(workspace, each) !== object);
}

/** Gives objects that only this page has a class, with which they are kept. Returns the others. */
export function labelNew(workspace: Workspace, objects: readonly string[], label: string): readonly string[] {
  for (const pointed of workspace.pointed.value) {
    if (!objects.includes(pointedName(workspace, pointed))) continue;
    if (!isNew({ object: pointedName(workspace, pointed) })) continue;
    const drawn = new Map(workspace.drawn.value);
    for (const { number } of pointed.attempts) {
      workspace.pointed.value = withAttempt(workspace.pointed.value, number, { label });
      const instance = drawn.get(number);
      if (instance !== undefined) drawn.set(number, { ...instance, label });
    }
    workspace.drawn.value = drawn;
  }
  return objects.filter((object) => !isNew({ object }));
}

/** Redoes the last undone point in a picture. */
export function redo(workspace: Workspace, key: string): void {
  const last = workspace.takenBack.value.findLast(({ picture }) => picture === key);
  if (last === undefined) return;
  workspace.takenBack.value = workspace.takenBack.value.filter((each) => each !== last);
  void pointIn(workspace, key, last.region, last.purpose);
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
