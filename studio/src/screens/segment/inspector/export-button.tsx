import { useSignal } from "@preact/signals";
import type { CreateJobRequest } from "segmentation-client";
import { Button, Icon } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/layout/lazy-part.tsx";
import type { Order } from "../../../export/code/exported-job.ts";
import type { ExportPicture } from "../../../export/types.ts";
import type { FoundJob } from "../../../workspace/service/found-job.ts";
import { isShown } from "../../../workspace/rules/instances.ts";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import { drawnOf, regionOn } from "../../../workspace/rules/pointed-objects.ts";
import { segment } from "../../../workspace/jobs/run.ts";
import type { Work } from "../../../workspace/workspace.ts";
import type { ViewState } from "../state/view-state.ts";

const ExportDialog = lazyDialog(async () => (await import("../../../export/export-dialog.tsx")).ExportDialog);

/** The button that opens the export, once there is something to export. A clip's screen has its own. */
export function ExportButton({ viewState }: { readonly viewState: ViewState }) {
  const { work } = viewState;
  const isOpen = useSignal(false);
  const jobId = wholeOf(work)?.jobId ?? latestDrawn(work);
  if (work.type.value === "video" || jobId === null) return null;
  const picture = work.openPicture.value;
  return (
    <section class="export-button">
      <Button variant={work.isAnswered.value ? "main" : "plain"} onClick={() => (isOpen.value = true)}>
        <Icon name="download" /> Export
      </Button>
      {isOpen.value && (
        <ExportDialog
          jobId={jobId}
          order={orderOf(work)}
          units={work.pictures.value.length}
          pictures={work.pictures.value.flatMap((each) => exportOf(viewState, each))}
          current={picture === null || work.isOverview.value ? undefined : (taskIdOf(picture) ?? undefined)}
          hidden={
            viewState.instances.value.filter((instance) => !isShown(instance, viewState.filter.value)).length
          }
          onRunAgain={wholeOf(work) === null ? undefined : (request) => void segment(work, request)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </section>
  );
}

/** What the work's job has found, once that is all. */
const wholeOf = ({ job, found }: Work): FoundJob | null =>
  job.value?.status === "success" ? found.value : null;

/** The latest job that drew an object that is still there. */
const latestDrawn = (work: Work): string | null =>
  work.pointed.value
    .findLast((object) => drawnOf(object) !== null)
    ?.attempts.findLast(({ state }) => state === "drawn")?.jobId ?? null;

function exportOf(viewState: ViewState, picture: Picture): ExportPicture[] {
  const taskId = taskIdOf(picture);
  // Of a picture that failed there is nothing to export.
  if (taskId === null || viewState.work.taskOf(picture)?.status === "failed") return [];
  const { key, name } = picture;
  return [
    {
      taskId,
      name: name || taskId,
      count: viewState.countIn(picture, "all") ?? 0,
      isAccepted: viewState.work.verdicts.value.get(key) === "accepted",
      masks: async () => await viewState.masksOf(key),
      hasOriginal: viewState.work.hasOriginal(picture),
      original: async () => await viewState.work.original(picture),
    },
  ];
}

/** What was asked for, as one job: that of the prompts, or that of all objects that were pointed at. */
function orderOf(work: Work): Order {
  const tasks = work.pictures.value.flatMap((picture) => taskIdOf(picture) ?? []);
  const sources = new Map(
    work.pictures.value.flatMap((picture) => {
      const taskId = taskIdOf(picture);
      const name = picture.address?.href ?? picture.name;
      return taskId === null || name === "" ? [] : [[taskId, name] as const];
    }),
  );
  const found = wholeOf(work);
  if (work.request.value !== null && found !== null)
    return { request: work.request.value, sources, isComplete: true };
  if (found !== null)
    return {
      request: { type: "image", prompts: [...found.prompts], tasks },
      sources,
      isComplete: false,
    };
  const regions = work.pointed.value.flatMap((object) => {
    const picture = work.picture(object.picture);
    const taskId = picture === undefined ? null : taskIdOf(picture);
    const region = drawnOf(object)?.region ?? null;
    return taskId === null || region === null ? [] : [regionOn(taskId, region)];
  });
  const pointedAt = tasks.filter((taskId) => regions.some((region) => region.taskId === taskId));
  const request: CreateJobRequest = {
    type: "image",
    tasks: pointedAt.length > 0 ? pointedAt : tasks,
    regions,
  };
  return { request, sources, isComplete: regions.length === work.pointed.value.length };
}
