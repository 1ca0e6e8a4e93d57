import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

export interface FormDialogProps {
  readonly title: string;
  /** The verb of what the form does. */
  readonly submit: string;
  /** Does it, and ends the dialog. If that fails, the form stays as it was filled in and says why. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog({ title, submit, onSubmit, onClose, children }: FormDialogProps) {
  const id = useId();
  const busy = useSignal(false);
  const error = useSignal<unknown>(null);
  const act = async (): Promise<void> => {
    busy.value = true;
    try {
      await onSubmit();
    } catch (reason) {
      error.value = reason;
    }
    busy.value = false;
  };
  return (
    <Dialog
      title={title}
      onClose={busy.value ? undefined : onClose}
      actions={
        <>
          <Button look="main" type="submit" form={id} busy={busy.value}>
            {submit}
          </Button>
          <Button look="quiet" disabled={busy.value} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act();
        }}
      >
        {children}
      </form>
      {error.value !== null && <Problem error={error.value} />}
    </Dialog>
  );
}
