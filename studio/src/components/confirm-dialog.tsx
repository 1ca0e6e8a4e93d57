import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The verb of what is confirmed. */
  readonly confirm: string;
  readonly cancel?: string;
  /** Whether something is lost by it. */
  readonly isDangerous?: boolean;
  /** Does it. If that fails, the dialog stays and says why. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  cancel = "Keep it",
  isDangerous = true,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const busy = useSignal(false);
  const error = useSignal<unknown>(null);
  const act = async (): Promise<void> => {
    busy.value = true;
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      error.value = reason;
      busy.value = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={busy.value ? undefined : onClose}
      actions={
        <>
          <Button look={isDangerous ? "danger" : "main"} busy={busy.value} onClick={() => void act()}>
            {confirm}
          </Button>
          <Button look="quiet" disabled={busy.value} onClick={onClose} autofocus>
            {cancel}
          </Button>
        </>
      }
    >
      <div class="dialog-text">{children}</div>
      {error.value !== null && <Problem error={error.value} />}
    </Dialog>
  );
}
