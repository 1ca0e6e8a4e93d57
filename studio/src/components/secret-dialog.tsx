import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyField } from "./copy-field.tsx";
import { Dialog } from "./dialog.tsx";

export interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  /** Where it belongs, and what to do if it is lost. */
  readonly children: ComponentChildren;
  /** Called when somebody says that they have kept it; nothing else ends the dialog. */
  readonly onKept: () => void;
}

/** Shows a secret the only time that it is shown. */
export const SecretDialog = ({ title, label, secret, children, onKept }: SecretDialogProps) => (
  <Dialog
    title={title}
    actions={
      <Button look="main" onClick={onKept}>
        I have saved it
      </Button>
    }
  >
    <CopyField label={label} value={secret} />
    <div class="dialog-text">{children}</div>
  </Dialog>
);
