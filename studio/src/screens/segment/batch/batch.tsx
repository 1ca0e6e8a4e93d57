import type { ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazyPart } from "../../../components/lazy/lazy-part.tsx";
import type { JobStatus } from "segmentation-client";
import type { GalleryItem } from "../../../gallery/items.ts";
import { isCanceled } from "../../../text/task-problems.ts";
import { problemSentence } from "../../../text/problem-words.ts";
import { isVisitor } from "../../../state/session.ts";
import { showMasks } from "../../../workspace/masks/fetch-masks.ts";
import { judged } from "../../../workspace/rules/review.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { Picture } from "../../../workspace/rules/picture.ts";
import type { ViewState } from "../state/view-state.ts";
import { Progress } from "../stage/progress.tsx";

const Gallery = lazyPart(async () => (await import("../../../gallery/gallery.tsx")).Gallery);

/** All pictures of a workspace, with the objects of each. */
export function Batch({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const isByLabel = viewState.gallery.value.label !== null;
  const found = workspace.found.value;
  const unknown = [...viewState.counting.unknown.value].join(" ");
  useEffect(() => {
    // Which prompt a mask answers is known by its file.
    if (found !== null && (isByLabel || unknown !== ""))
      void showAll(workspace, viewState.counting.unknown, isByLabel);
  }, [isByLabel, found, unknown !== ""]);
  return (
    <section class="stage" aria-label="All pictures">
      <div class="stage-pane stage-batch">
        <Gallery
          items={viewState.workspace.pictures.value.map((picture) => itemOf(viewState, picture))}
          open={viewState.workspace.openPicture.value?.key ?? null}
          filter={viewState.gallery}
          labels={viewState.labels.value}
          onOpen={(key) => viewState.workspace.open(key)}
          {...(!isVisitor.value && {
            onJudge: (keys, verdict) =>
              (workspace.verdicts.value = judged(workspace.verdicts.peek(), keys, verdict)),
          })}
        />
      </div>
      <Progress workspace={workspace} />
    </section>
  );
}

/** Fetches the masks of all pictures, or of those whose objects can't be counted without, one picture after the other. */
async function showAll(
  workspace: Workspace,
  unknown: ReadonlySignal<ReadonlySet<string>>,
  isAll: boolean,
): Promise<void> {
  for (const { key } of workspace.pictures.value)
    if (isAll || unknown.value.has(key)) await showMasks(workspace, key);
}

function itemOf(viewState: ViewState, picture: Picture): GalleryItem {
  const { workspace } = viewState;
  const { key, name, file, sending } = picture;
  const task = workspace.taskOf(picture);
  const found = workspace.found.value;
  const seen = viewState.objectsIn(key);
  return {
    key,
    name,
    state: found?.confidences.has(task?.taskId ?? "") === true ? "done" : stateOf(picture, task),
    share: sending.at === "sending" && file !== null && file.size > 0 ? sending.bytes / file.size : null,
    problem: sending.at === "failed" ? problemSentence(sending.error) : (task?.error ?? null),
    count: viewState.counting.in(picture, "shown"),
    labels: viewState.labelsIn(key),
    leastSure: viewState.counting.leastSureIn(picture),
    verdict: workspace.verdicts.value.get(key) ?? null,
    revision: [
      file === null ? "absent" : "here",
      // Of a running job more is known later.
      found?.sourcesOf(task?.taskId ?? ""),
      viewState.least.value,
      ...viewState.filter.value.leasts.values(),
      viewState.isByObject.value,
      ...seen.map(
        ({ id, object, label }) => `${viewState.hidden.value.has(object) ? "-" : ""}${id} ${label}`,
      ),
    ].join(" "),
    original: async () => await workspace.original(picture),
    masks: async () => await viewState.masksOf(key),
  };
}

function stateOf(
  { sending }: Picture,
  { status, error }: Partial<JobStatus["tasks"][number]> = {},
): GalleryItem["state"] {
  if (status === "failed" && isCanceled(error ?? null)) return "canceled";
  if (sending.at === "failed" || status === "failed") return "failed";
  if (status === "success") return "done";
  if (status === "processing") return "processing";
  return sending.at === "sent" ? "waiting" : sending.at;
}
