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
  const { found, job, pointed, edits, pictures, type } = workspace;
  const drawn = pointed.value.flatMap(
    ({ attempts }) => attempts.findLast(({ state }) => state === "drawn")?.jobId ?? [],
  );
  const searched = found.value?.jobs.map(({ jobId }) => jobId) ?? [];
  const hasEnded = workspace.going.value.at === "idle";
  const first = job.value?.status === "success" ? job.value.jobId : (hasEnded && searched.at(-1)) || drawn[0];
  if (first === undefined) return null;
  const others = new Set([...drawn, ...searched].filter((jobId) => jobId !== first));
  const further = [...others].slice(-LIMITS.furtherJobsPerShare);
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
          jobId={first}
          further={further}
          what={type.value === "video" ? "video" : pictures.value.length > 1 ? "pictures" : "picture"}
          hasEdits={[...edits.value.values()].some(({ done }) => done.length > 0)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </section>
  );
}
