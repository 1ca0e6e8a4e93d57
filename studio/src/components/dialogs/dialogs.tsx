import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { type Action, useAction } from "../../state/requests.ts";
import { Button, type ButtonProps } from "../controls/button.tsx";
import { CopyField } from "../controls/copy-field.tsx";
import { Problem } from "../layout/notice.tsx";
import { Dialog } from "./dialog.tsx";
import "./dialogs.css";

interface ActingDialogProps {
  readonly title: string;
  readonly action: Action;
  readonly act: ButtonProps;
  readonly leave: ButtonProps;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with buttons for the action and for closing it. If the action fails, it stays open and says why. */
const ActingDialog = ({ title, action, act, leave, onClose, children }: ActingDialogProps) => (
  <Dialog
    title={title}
    onClose={action.busy.value ? undefined : onClose}
    actions={
      <>
        <Button {...act} busy={action.busy.value} />
        <Button {...leave} variant="quiet" disabled={action.busy.value} onClick={onClose} />
      </>
    }
  >
    {children}
    {action.error.value !== null && <Problem error={action.error.value} />}
  </Dialog>
);

interface ConfirmDialogProps {
  readonly title: string;
  /** Consequences of the action, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The verb of the confirmed action. */
  readonly confirm: string;
  readonly cancel?: string;
  /** True if something is lost by it. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => Promise<void> | void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, cancel = "Keep it", isDangerous = true, onConfirm, onClose } = props;
  const action = useAction();
  const act = async (): Promise<void> => {
    await onConfirm();
    onClose();
  };
  return (
    <ActingDialog
      title={title}
      action={action}
      act={{
        children: confirm,
        variant: isDangerous ? "danger" : "main",
        onClick: () => void action.run(act),
      }}
      leave={{ children: cancel, autofocus: true }}
      onClose={onClose}
    >
      <div class="dialog-text">{children}</div>
    </ActingDialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** The verb of the form's action. */
  readonly submit: string;
  /** Does it, and ends the dialog. If that fails, the form stays as it was filled in. */
  readonly onSubmit: () => Promise<void> | void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog({ title, submit, onSubmit, onClose, children }: FormDialogProps) {
  const id = useId();
  const action = useAction();
  return (
    <ActingDialog
      title={title}
      action={action}
      act={{ children: submit, variant: "main", type: "submit", form: id }}
      leave={{ children: "Cancel" }}
      onClose={onClose}
    >
      <form
        id={id}
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(onSubmit);
        }}
      >
        {children}
      </form>
    </ActingDialog>
  );
}

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  /** Explanation of its use, and of the way out if it is lost. */
  readonly children: ComponentChildren;
  /** Called when a person says that they have saved it; nothing else ends the dialog. */
  readonly onKept: () => void;
}

/** Shows a secret the only time that it is shown. */
export const SecretDialog = ({ title, label, secret, children, onKept }: SecretDialogProps) => (
  <Dialog
    title={title}
    actions={
      <Button variant="main" onClick={onKept}>
        Done, I’ve saved it
      </Button>
    }
  >
    <CopyField label={label} value={secret} />
    <div class="dialog-text">{children}</div>
  </Dialog>
);
