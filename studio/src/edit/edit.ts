import { isSeenWith, latestAttempt, type PointedObject } from "../workspace/rules/pointed-objects.ts";
import { undo as undoPointing } from "../workspace/jobs/point.ts";
import type { Work } from "../workspace/workspace.ts";
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

const historyOf = (work: Work, picture: string): History => work.edits.value.get(picture) ?? NO_EDITS;

const put = (work: Work, picture: string, history: History): void => {
  work.edits.value = new Map(work.edits.value).set(picture, history);
};

/** Changes something of the open picture's objects. */
export function edit(work: Work, made: Edit): void {
  const key = work.openPicture.value?.key;
  if (key !== undefined)
    put(work, key, withEdit(historyOf(work, key), made, latestAttempt(work.pointed.value)));
}

/** The edits of what is seen, which are all but those of what other searches have found. */
const seenIn = (work: Work): IsSeen =>
  seenWithout(work.searches.value.flatMap(({ jobId }) => (jobId === work.searchId.value ? [] : [jobId])));

const pointedIn = (work: Work): readonly PointedObject[] =>
  work.pointed.value.filter((object) => isSeenWith(object, work.searchId.value));

/** Whether the latest that a person did in a picture was an edit, and not a point or a box. */
const wasEdit = (work: Work, picture: string): boolean => {
  const isSeen = seenIn(work);
  const last = historyOf(work, picture).done.findLast((step) => isSeen(step.edit));
  return last !== undefined && last.after >= latestAttempt(pointedIn(work), picture);
};

/** Takes back the latest that a person did in the open picture: an edit, a point or a box. */
export function undoLatest(work: Work): void {
  const key = work.openPicture.value?.key;
  if (key === undefined) return;
  if (wasEdit(work, key)) put(work, key, undo(historyOf(work, key), seenIn(work)));
  else undoPointing(work);
}

/** Does again what was taken back last of the edits in the open picture. */
export function redoLatest(work: Work): void {
  const key = work.openPicture.value?.key;
  if (key !== undefined) put(work, key, redo(historyOf(work, key), seenIn(work)));
}

/** What of the open picture can be taken back, and what can come again. */
export function undoable(work: Work): { readonly undo: boolean; readonly redo: boolean } {
  const key = work.openPicture.value?.key ?? "";
  const isSeen = seenIn(work);
  const { done, undone } = historyOf(work, key);
  return {
    undo: done.some((step) => isSeen(step.edit)) || latestAttempt(pointedIn(work), key) > 0,
    redo: undone.some((step) => isSeen(step.edit)),
  };
}
