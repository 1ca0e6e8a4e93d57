import { useSignal } from "@preact/signals";
import { LIMITS } from "segmentation-client";
import { Button, Icon } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import type { ViewState } from "../state/view-state.ts";

const ShareDialog = lazyDialog(async () => (await import("../../../share/share-dialog.tsx")).ShareDialog);

/** The button that makes a link to a workspace's results, once there are any. */
export function ShareButton({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const isOpen = useSignal(false);
  const { found, job, pointed, edits, hidden, pictures, type } = workspace;
  const drawn = pointed.value.flatMap(
    ({ attempts }) => attempts.findLast(({ state }) => state === "drawn")?.jobId ?? [],
  );
  const searched = found.value?.jobs.map(({ jobId }) => jobId) ?? [];
  const hasEnded = workspace.going.value.at === "idle";
  const latest =
    job.value?.status === "success" ? job.value.jobId : (hasEnded && searched.at(-1)) || drawn[0];
  if (latest === undefined) return null;
  const shown = new Set([...drawn, ...searched, latest]);
  // It has the annotations.
  const { value: firstJob } = workspace.firstJob;
  const isWhole = firstJob !== null && shown.has(firstJob);
  const jobId = isWhole ? firstJob : latest;
  shown.delete(jobId);
  const further = [...shown].slice(-LIMITS.furtherJobsPerShare);
  const hasEdits = hidden.value.size > 0 || [...edits.value.values()].some(({ done }) => done.length > 0);
  return (
    <section class="share-button">
      <Button
        onClick={() => {
          // A link shows only results at the service.
          viewState.refining.keep();
          isOpen.value = true;
        }}
      >
        <Icon name="link" /> Share a link
      </Button>
      {isOpen.value && (
        <ShareDialog
          jobId={jobId}
          further={further}
          what={type.value === "video" ? "video" : pictures.value.length > 1 ? "pictures" : "picture"}
          edits={hasEdits ? (isWhole ? "can be shown" : "are not shown") : "none"}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </section>
  );
}
