import { useSignal } from "@preact/signals";
import { Button } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import { counted } from "../../../text/format.ts";
import type { ViewState } from "../state/view-state.ts";

const RenameDialog = lazyDialog(async () => (await import("../../../edit/dialogs.tsx")).RenameDialog);

/** Actions on several selected objects at once. */
export function Selected({ viewState }: { readonly viewState: ViewState }) {
  const { selecting } = viewState;
  const isNaming = useSignal(false);
  const count = selecting.objects.value.length;
  if (count < 2) return null;
  return (
    <div class="instances-selected" role="group" aria-label="Selected objects">
      <p role="status">{counted(count, "object")} selected</p>
      <Button onClick={() => (isNaming.value = true)}>Set class…</Button>
      <Button onClick={() => viewState.accept(selecting.objects.peek())}>Accept</Button>
      <Button variant="danger" onClick={() => viewState.deleteSelected()}>
        Delete
      </Button>
      <Button variant="quiet" onClick={() => selecting.clear()}>
        Deselect
      </Button>
      {isNaming.value && (
        <RenameDialog
          name={counted(count, "object")}
          label={null}
          classes={viewState.classes.names.value}
          onRename={(label) => viewState.nameObjects(undefined, selecting.objects.peek(), label)}
          onClose={() => (isNaming.value = false)}
        />
      )}
    </div>
  );
}
