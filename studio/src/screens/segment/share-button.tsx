import { useSignal } from "@preact/signals";
import { ErrorBoundary, lazy } from "preact-iso";
import { Button, Icon } from "../../components/button.tsx";
import { pathOf } from "../../work/current.ts";
import { taskIdOf } from "../../work/picture.ts";
import type { Look } from "./look.ts";

const ShareDialog = lazy(async () => (await import("../../share/share-dialog.tsx")).ShareDialog);

/** The button that makes a link to what a work has found, once there is something. */
export function ShareButton({ look }: { readonly look: Look }) {
  const { work } = look;
  const isOpen = useSignal(false);
  const [jobId, ...further] = work.jobIds.value;
  const hasResult = work.job.value?.status === "success" || work.drawn.value.size > 0;
  if (jobId === undefined || !hasResult || work.pictures.value.every((each) => taskIdOf(each) === null))
    return null;
  return (
    <section class="share-button">
      <Button onClick={() => (isOpen.value = true)}>
        <Icon name="link" /> Share a link
      </Button>
      {isOpen.value && (
        <ErrorBoundary>
          <ShareDialog
            jobId={jobId}
            further={further}
            path={pathOf(work) ?? ""}
            what={work.type.value === "video" ? "clip" : work.pictures.value.length > 1 ? "pictures" : "picture"}
            hasEdits={[...work.edits.value.values()].some(({ done }) => done.length > 0)}
            onClose={() => (isOpen.value = false)}
          />
        </ErrorBoundary>
      )}
    </section>
  );
}
