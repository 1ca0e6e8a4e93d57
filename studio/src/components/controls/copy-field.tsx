import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button, Icon } from "./button.tsx";
import "./copy-field.css";
import "./field.css";

const SAID_MS = 2_000;

interface CopyButtonProps {
  readonly value: string;
  /** The element that shows the value. */
  readonly shownBy: RefObject<HTMLElement | null>;
}

/** A button that copies a string. Where the browser refuses to, the text is selected instead. */
export function CopyButton({ value, shownBy }: CopyButtonProps) {
  const said = useSignal<"Copied" | "Press Ctrl+C to copy" | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      said.value = "Copied";
    } catch {
      if (shownBy.current !== null) getSelection()?.selectAllChildren(shownBy.current);
      said.value = "Press Ctrl+C to copy";
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => (said.value = null), SAID_MS);
  };
  return (
    <Button onClick={() => void copy()}>
      <Icon name={said.value === "Copied" ? "check" : "copy"} size={18} />
      <span aria-live="polite">{said.value ?? "Copy"}</span>
    </Button>
  );
}

/** A string that people take elsewhere, with a button that copies it. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const text = useRef<HTMLOutputElement>(null);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-field-line">
        <output id={id} ref={text} class="copy-field-value">
          {value}
        </output>
        <CopyButton value={value} shownBy={text} />
      </div>
    </div>
  );
}
