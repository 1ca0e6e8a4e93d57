import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import "./copy-field.css";

const SAID_MS = 2_000;

export interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
}

/** A text that people take elsewhere, with a button that copies it. Where the browser refuses to, it is selected instead. */
export function CopyField({ label, value }: CopyFieldProps) {
  const id = useId();
  const text = useRef<HTMLOutputElement>(null);
  const said = useSignal<"Copied" | "Press Ctrl+C to copy" | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      said.value = "Copied";
    } catch {
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      said.value = "Press Ctrl+C to copy";
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      said.value = null;
    }, SAID_MS);
  };
  return (
    <div class="copy-field">
      <label for={id}>{label}</label>
      <div class="copy-field-line">
        <output id={id} ref={text} class="copy-field-value">
          {value}
        </output>
        <Button onClick={() => void copy()}>
          <Icon name={said.value === "Copied" ? "check" : "copy"} />
          <span aria-live="polite">{said.value ?? "Copy"}</span>
        </Button>
      </div>
    </div>
  );
}
