import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Search } from "../../../workspace/rules/searches.ts";
import { Waiting } from "../../../components/layout/notice.tsx";
import { PictureViewer } from "../../../viewer/picture-viewer.tsx";
import type { Size } from "../../../viewer/types.ts";
import { useLoaded } from "../../../state/requests.ts";
import { FoundJob } from "../../../workspace/service/found-job.ts";
import { isShown, nameOf } from "../../../workspace/rules/instances.ts";
import { onceOnline } from "../../../workspace/service/once-online.ts";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import { promptsText } from "../../jobs/job-words.ts";
import { compared } from "../state/comparing.ts";
import type { ViewState } from "../state/view-state.ts";

interface ComparePaneProps {
  readonly viewState: ViewState;
  readonly search: Search;
  readonly picture: Picture;
  readonly bitmap: ImageBitmap | null;
  readonly size: Size;
}

/** Another search of the open picture, beside the one that is seen. */
export function ComparePane({ viewState, search, picture, bitmap, size }: ComparePaneProps) {
  const { comparing, workspace } = viewState;
  const taskId = taskIdOf(picture);
  const fetched = useLoaded(
    async (signal) => {
      comparing.others.value = null;
      const found = await onceOnline(async () => await FoundJob.open(workspace.owner, search.jobId));
      const others = taskId === null ? [] : await onceOnline(async () => await found.instances(taskId));
      if (!signal.aborted) comparing.others.value = others;
    },
    [search.jobId, taskId],
  );
  const others = comparing.others.value;
  const isFound = viewState.searched.value !== null;
  const ours = useComputed(() =>
    viewState.instances.value.filter(
      (instance) => instance.prompt !== null && isShown(instance, viewState.filter.value),
    ),
  );
  const measured = useLoaded(
    async (signal) => {
      // Of a search that is under way nothing can be said yet.
      if (others === null || !isFound) return void (comparing.differences.value = null);
      const masksOf = (instances: typeof others) => new Map(instances.map(({ id, png }) => [id, png]));
      const differences = await compared({ ours: masksOf(ours.value), theirs: masksOf(others) }, signal);
      if (!signal.aborted) comparing.differences.value = differences;
    },
    [others, isFound, ours.value],
  );
  const error = fetched.error.value ?? measured.error.value;
  useEffect(() => void (comparing.error.value = error), [error]);
  const layers = useComputed(() =>
    (comparing.others.value ?? []).map((instance) => ({
      id: instance.id,
      mask: instance.png,
      colour: comparing.colour(instance, viewState.colour(instance)),
      visible: true,
      label: nameOf(instance),
    })),
  );
  return (
    <div class="stage-before">
      {others === null ? (
        <Waiting what="Loading the other search" />
      ) : (
        <PictureViewer
          label={`${promptsText(search.prompts)}, the other search`}
          picture={bitmap}
          size={size}
          layers={layers.value}
          opacity={viewState.opacity}
          highlighted={comparing.highlighted}
          tool="pan"
          shared={comparing.view}
        />
      )}
      <p class="stage-caption">{promptsText(search.prompts)}</p>
    </div>
  );
}
