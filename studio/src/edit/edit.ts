import { latestAttempt } from "../work/pointed.ts";
import { undo as undoPointing } from "../work/point.ts";
import type { Work } from "../work/work.ts";
import { type Edit, type History, NO_EDITS, redo, undo, withEdit } from "./history.ts";

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

/** Whether the latest that a person did in a picture was an edit, and not a point or a box. */
const wasEdit = (work: Work, picture: string): boolean => {
  const last = historyOf(work, picture).done.at(-1);
  return last !== undefined && last.after >= latestAttempt(work.pointed.value, picture);
};

/** Takes back the latest that a person did in the open picture: an edit, a point or a box. */
export function undoLatest(work: Work): void {
  const key = work.openPicture.value?.key;
  if (key === undefined) return;
  if (wasEdit(work, key)) put(work, key, undo(historyOf(work, key)));
  else undoPointing(work);
}

/** Does again what was taken back last of the edits in the open picture. */
export function redoLatest(work: Work): void {
  const key = work.openPicture.value?.key;
  if (key !== undefined) put(work, key, redo(historyOf(work, key)));
}

/** What of the open picture can be taken back, and what can come again. */
export function undoable(work: Work): { readonly undo: boolean; readonly redo: boolean } {
  const key = work.openPicture.value?.key ?? "";
  const { done, undone } = historyOf(work, key);
  return { undo: done.length > 0 || latestAttempt(work.pointed.value, key) > 0, redo: undone.length > 0 };
}
