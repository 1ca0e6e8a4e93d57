import {
  isSeenWith,
  latestAttempt,
  type PointedObject,
  type TakenBack,
} from "../workspace/rules/pointed-objects.ts";
import { drop, redo as redoPointing, undo as undoPointing } from "../workspace/jobs/point.ts";
import { isNew } from "../workspace/masks/objects.ts";
import type { Instance } from "../workspace/rules/instances.ts";
import { isReady } from "../workspace/decoding/instant.ts";
import type { Workspace } from "../workspace/workspace.ts";
import {
  type Edit,
  type History,
  type IsSeen,
  NO_EDITS,
  redo,
  seenWithout,
  undo,
  withEdit,
} from "../workspace/rules/edit-history.ts";

const historyOf = (workspace: Workspace, picture: string): History =>
  workspace.edits.value.get(picture) ?? NO_EDITS;

const put = (workspace: Workspace, picture: string, history: History): void => {
  workspace.edits.value = new Map(workspace.edits.value).set(picture, history);
};

/** Changes something of a picture's objects. @param key of the picture; by default the open one */
export function edit(workspace: Workspace, made: Edit, key = workspace.openPicture.value?.key): void {
  if (key === undefined) return;
  workspace.takenBack.value = [];
  put(workspace, key, withEdit(historyOf(workspace, key), made, latestAttempt(workspace.pointed.value)));
}

/** Deletes an object of the open picture; one that only this page has is gone for good. */
export function remove(workspace: Workspace, instance: Instance): void {
  if (isNew(instance)) drop(workspace, instance);
  else edit(workspace, { type: "delete", object: instance.object });
}

/** Edits of the shown objects: all except those of other searches' objects. */
const seenIn = (workspace: Workspace): IsSeen =>
  seenWithout(
    workspace.searches.value.flatMap(({ jobId }) =>
      workspace.shownIds.value.includes(jobId) ? [] : [jobId],
    ),
  );

const pointedIn = (workspace: Workspace): readonly PointedObject[] =>
  workspace.pointed.value.filter((object) => isSeenWith(object, workspace.shownIds.value));

/** Tells whether the latest that a person did in a picture was an edit, and not a point or a box. */
const wasEdit = (workspace: Workspace, picture: string): boolean => {
  const isSeen = seenIn(workspace);
  const last = historyOf(workspace, picture).done.findLast((step) => isSeen(step.edit));
  return last !== undefined && last.after >= latestAttempt(pointedIn(workspace), picture);
};

/** Takes back the latest that a person did in the open picture: an edit, a point or a box. */
export function undoLatest(workspace: Workspace): void {
  const key = workspace.openPicture.value?.key;
  if (key === undefined) return;
  if (wasEdit(workspace, key)) put(workspace, key, undo(historyOf(workspace, key), seenIn(workspace)));
  else undoPointing(workspace);
}

/** Returns the point or box that redo points at again in a picture; null if an edit was undone after it. */
function pointToRedo(workspace: Workspace, key: string): TakenBack | null {
  const last = workspace.takenBack.value.findLast(({ picture }) => picture === key);
  return last !== undefined && historyOf(workspace, key).undone.length <= last.undoneEdits ? last : null;
}

/** Redoes the last undone step in the open picture. */
export function redoLatest(workspace: Workspace): void {
  const key = workspace.openPicture.value?.key;
  if (key === undefined) return;
  if (pointToRedo(workspace, key) !== null) redoPointing(workspace, key);
  else put(workspace, key, redo(historyOf(workspace, key), seenIn(workspace)));
}

/** Tells whether undo and redo are possible in the open picture, and whether a redo is another job for a unit. */
export function undoable(workspace: Workspace): {
  readonly undo: boolean;
  readonly redo: "free" | "paid" | null;
} {
  const key = workspace.openPicture.value?.key ?? "";
  const isSeen = seenIn(workspace);
  const { done, undone } = historyOf(workspace, key);
  const again = pointToRedo(workspace, key);
  return {
    undo: done.some((step) => isSeen(step.edit)) || latestAttempt(pointedIn(workspace), key) > 0,
    redo:
      again !== null ? costOf(workspace, again) : undone.some((step) => isSeen(step.edit)) ? "free" : null,
  };
}

/** The first corrections of a picture's masks are free, as are the masks that this browser draws. */
const costOf = (workspace: Workspace, { purpose, picture }: TakenBack): "free" | "paid" =>
  purpose === "new" && !isReady(workspace, picture) ? "paid" : "free";
