import type { ReadonlySignal } from "@preact/signals";
import type { JobStatus } from "segmentation-client";
import type { ExportPicture } from "../../../export/types.ts";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import type { Going, Workspace } from "../../../workspace/workspace.ts";
import type { ViewState } from "../state/view-state.ts";

/** The part of a view state that decides its exports. */
export interface ExportedView extends Pick<ViewState, "objectsIn" | "masksOf" | "nameObjects"> {
  readonly workspace: Pick<
    Workspace,
    "pictures" | "verdicts" | "taskOf" | "isDone" | "hasOriginal" | "original"
  >;
}

/** The state of a workspace's search. */
interface Searched<Results> {
  readonly job: ReadonlySignal<Pick<JobStatus, "status"> | null>;
  readonly going: ReadonlySignal<Pick<Going, "at">>;
  readonly found: ReadonlySignal<Results | null>;
}

/** Returns the results of the searches on the screen, once they are complete: the job ends a little before its last results are here. */
export function wholeOf<Results extends { readonly jobs: readonly { readonly isFinal: boolean }[] }>({
  job: { value: job },
  going,
  found: { value: found },
}: Searched<Results>): Results | null {
  const hasEnded = job?.status === "success" || (job?.status === "failed" && going.value.at === "idle");
  return hasEnded && found?.jobs.every(({ isFinal }) => isFinal) === true ? found : null;
}

/** Returns the pictures of a workspace that can be exported. */
export const exportedPictures = (view: ExportedView): ExportPicture[] =>
  view.workspace.pictures.value.map((picture) => exportOf(view, picture));

function exportOf(view: ExportedView, picture: Picture): ExportPicture {
  const taskId = taskIdOf(picture);
  const { key, name } = picture;
  const isDone = view.workspace.taskOf(picture) === undefined || view.workspace.isDone(picture);
  // A picture that failed, or that is not done, is not one without objects.
  const isMissing = taskId === null || (!isDone && view.objectsIn(key).length === 0);
  return {
    taskId: taskId ?? key,
    isMissing,
    name: name || (taskId ?? key),
    verdict: view.workspace.verdicts.value.get(key) ?? null,
    masks: async () => await view.masksOf(key),
    hasOriginal: view.workspace.hasOriginal(picture),
    original: async () => await view.workspace.original(picture),
    nameObjects: (objects, label) => view.nameObjects(key, objects, label),
  };
}
