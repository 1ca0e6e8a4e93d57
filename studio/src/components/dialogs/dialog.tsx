import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  /** Called on dismissal: by Escape, or by a click outside it. Without it, only the dialog's own buttons close it. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
  /** The buttons at its foot, the primary one first. */
  readonly actions?: ComponentChildren;
}

/** A dialog, open while it is drawn. The browser keeps the focus inside, and gives it back at the end. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={({ currentTarget }) => {
        // A browser never traps people in a dialog: a second Escape always closes it.
        if (!currentTarget.isConnected || currentTarget.open) return;
        if (onClose === undefined) currentTarget.showModal();
        else onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      <div class="dialog-content">
        <h2 id={id}>{title}</h2>
        {children}
        {actions !== undefined && <div class="dialog-actions">{actions}</div>}
      </div>
    </dialog>
  );
}
