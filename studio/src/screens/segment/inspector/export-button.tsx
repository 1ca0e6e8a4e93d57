import { useSignal } from "@preact/signals";
import type { CreateJobRequest } from "segmentation-client";
import { Button, Icon } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import type { ExportedJob } from "../../../export/code/exported-job.ts";
import { taskIdOf } from "../../../workspace/rules/picture.ts";
import { drawnOf, regionOn } from "../../../workspace/rules/pointed-objects.ts";
import { segment } from "../../../workspace/jobs/run.ts";
import { type Workspace } from "../../../workspace/workspace.ts";
import { thresholdIn } from "../../../workspace/rules/searches.ts";
import type { ViewState } from "../state/view-state.ts";
import { exportedPictures, wholeOf } from "./exported-pictures.ts";

const ExportDialog = lazyDialog(async () => (await import("../../../export/export-dialog.tsx")).ExportDialog);

/** The button that opens the export, once there is something to export. A video's screen has its own. */
export function ExportButton({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const isOpen = useSignal(false);
  const whole = wholeOf(workspace);
  const jobId = whole?.jobs.at(-1)?.jobId ?? latestDrawn(workspace);
  if (workspace.type.value === "video" || jobId === null) return null;
  const picture = workspace.openPicture.value;
  return (
    <section class="export-button">
      <Button variant={workspace.isAnswered.value ? "main" : "plain"} onClick={() => (isOpen.value = true)}>
        <Icon name="download" /> Export
      </Button>
      {isOpen.value && (
        <ExportDialog
          jobId={jobId}
          isOneJob={whole === null || whole.jobs.length === 1}
          exportedJob={exportedJobOf(workspace)}
          units={workspace.pictures.value.length}
          pictures={exportedPictures(viewState)}
          prompts={promptsOf(workspace)}
          classes={workspace.classes.value}
          onExported={(classes) => (workspace.classes.value = classes)}
          current={
            picture === null || workspace.isOverview.value ? undefined : (taskIdOf(picture) ?? undefined)
          }
          onRunAgain={whole === null ? undefined : (request) => void segment(workspace, request)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </section>
  );
}

/** Returns the prompts of all searches of a workspace, the oldest first, whichever is seen. */
const promptsOf = ({ searches, found }: Workspace): readonly string[] => [
  ...searches.value.flatMap(({ prompts }) => prompts),
  ...(found.value?.prompts ?? []),
];

/** Tells whether two requests differ by their prompts alone. */
const isLike = (a: CreateJobRequest | null, b: CreateJobRequest): boolean =>
  a !== null && a.type === b.type && thresholdIn(a) === thresholdIn(b);

/** The latest job that drew an object that is still there. */
const latestDrawn = (workspace: Workspace): string | null =>
  workspace.pointed.value
    .flatMap(({ attempts }) => attempts.findLast(({ state }) => state === "drawn")?.jobId ?? [])
    .at(-1) ?? null;

/** Returns one job that repeats the workspace: that of the prompts, or that of all objects that were pointed at. */
function exportedJobOf(workspace: Workspace): ExportedJob {
  const tasks = workspace.pictures.value.flatMap((picture) => taskIdOf(picture) ?? []);
  const sources = new Map(
    workspace.pictures.value.flatMap((picture) => {
      const taskId = taskIdOf(picture);
      const name = picture.address?.href ?? picture.name;
      return taskId === null || name === "" ? [] : [[taskId, name] as const];
    }),
  );
  const found = wholeOf(workspace);
  if (found !== null) {
    const requests = workspace.shownSearches.value.map(({ request, jobId }) =>
      jobId === workspace.searchId.value ? workspace.request.value : request,
    );
    const [request = null] = requests;
    const isComplete = request !== null && requests.every((each) => isLike(each, request));
    const prompts = [...found.prompts];
    // Embeddings are for the studio alone.
    const { formats: _formats, ...shown } = request ?? { type: "image", tasks };
    return {
      request: isComplete ? { ...shown, prompts } : { type: "image", prompts, tasks },
      sources,
      isComplete,
    };
  }
  const regions = workspace.pointed.value.flatMap((object) => {
    const picture = workspace.picture(object.picture);
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
  return { request, sources, isComplete: regions.length === workspace.pointed.value.length };
}
