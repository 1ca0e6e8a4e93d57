import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "../../../components/controls/button.tsx";
import { model } from "../../../workspace/service/model.ts";
import { isOutside, offered, typedSoFar, withPrompts } from "../../../workspace/rules/prompts.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import "./prompt-field.css";

interface PromptFieldProps {
  readonly workspace: Workspace;
  /** Enter in the empty field. */
  readonly onDone: () => void;
}

/** Number of words outside of the vocabulary that are named. */
const MOST_NAMED = 3;

/** Prompts as chips: Enter or a comma ends one, Backspace takes the last one out, several can be pasted. */
export function PromptField({ workspace, onDone }: PromptFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const typed = useSignal("");
  const chosen = useSignal(-1);
  const vocabulary = useComputed(() => model.value?.vocabulary ?? "open");
  /** True if the whole vocabulary is open. */
  const isBrowsing = useSignal(false);
  const offers = useComputed(() =>
    offered(vocabulary.value, typed.value, workspace.prompts.value, isBrowsing.value),
  );
  useSignalEffect(() => {
    if (chosen.value >= 0)
      document.querySelector(`#${id}-${chosen.value}`)?.scrollIntoView({ block: "nearest" });
  });
  const outside = useComputed(() =>
    workspace.prompts.value.filter((prompt) => isOutside(vocabulary.value, prompt)),
  );

  useEffect(() => {
    // The element that was clicked to come here is gone. On a phone, the focus would open the keyboard.
    if (workspace.opening.value) return;
    if (document.activeElement === document.body && matchMedia("(pointer: fine)").matches)
      input.current?.focus({ preventScroll: true });
  }, []);

  const add = (text: string): void => {
    workspace.prompts.value = withPrompts(workspace.prompts.value, text);
    typed.value = "";
    close();
  };
  const close = (): void => {
    chosen.value = -1;
    isBrowsing.value = false;
  };
  const browse = (): void => {
    input.current?.focus();
    isBrowsing.value = true;
  };
  const remove = (prompt: string): void => {
    workspace.prompts.value = workspace.prompts.value.filter((other) => other !== prompt);
    input.current?.focus();
  };
  const onInput = (text: string): void => {
    const { whole, rest } = typedSoFar(text);
    if (whole !== "") workspace.prompts.value = withPrompts(workspace.prompts.value, whole);
    typed.value = rest;
    chosen.value = -1;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    const count = offers.value.length;
    if (key === "Enter") {
      event.preventDefault();
      const offer = offers.value[chosen.value];
      if (offer !== undefined) add(offer);
      else if (typed.value.trim() !== "") add(typed.value);
      else onDone();
    } else if (key === "ArrowDown" && count === 0) {
      event.preventDefault();
      isBrowsing.value = true;
    } else if ((key === "ArrowDown" || key === "ArrowUp") && count > 0) {
      event.preventDefault();
      const step = key === "ArrowDown" ? 1 : -1;
      chosen.value = ((chosen.value + 1 + step + count + 1) % (count + 1)) - 1;
    } else if (key === "Escape") {
      typed.value = "";
      close();
    } else if (key === "Backspace" && typed.value === "")
      workspace.prompts.value = workspace.prompts.value.slice(0, -1);
  };
  const isOpen = offers.value.length > 0;
  return (
    <div class="field">
      <label for={id}>Prompts</label>
      <div class="prompts-place">
        <div
          class="prompts-box"
          onClick={({ target, currentTarget }) => target === currentTarget && input.current?.focus()}
        >
          {workspace.prompts.value.map((prompt) => (
            <span key={prompt} class="prompts-chip" data-outside={outside.value.includes(prompt)}>
              {prompt}
              <button type="button" aria-label={`Remove ${prompt}`} onClick={() => remove(prompt)}>
                <Icon name="close" size={14} />
              </button>
            </span>
          ))}
          <input
            ref={input}
            id={id}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-offers`}
            aria-autocomplete="list"
            aria-activedescendant={chosen.value < 0 ? undefined : `${id}-${chosen.value}`}
            aria-describedby={`${id}-more`}
            autocomplete="off"
            autocapitalize="none"
            enterkeyhint="enter"
            placeholder={workspace.prompts.value.length === 0 ? "cup, spoon…" : ""}
            value={typed.value}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
            onPaste={(event) => {
              const text = event.clipboardData?.getData("text/plain") ?? "";
              if (!/[\n,;]/.test(text)) return;
              event.preventDefault();
              add(typed.value + text);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => {
              if (typed.value.trim() !== "") add(typed.value);
              close();
            }}
          />
        </div>
        <ul
          class="prompts-offers"
          id={`${id}-offers`}
          role="listbox"
          aria-label="Suggestions"
          hidden={!isOpen}
        >
          {offers.value.map((offer, i) => (
            <li
              key={offer}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === chosen.value}
              onPointerDown={(event) => {
                event.preventDefault();
                add(offer);
              }}
            >
              {offer}
            </li>
          ))}
        </ul>
      </div>
      <div class="fine" id={`${id}-more`} aria-live="polite">
        {outside.value.length > 0 ? (
          <>
            {outside.value.slice(0, MOST_NAMED).join(", ")}
            {outside.value.length > MOST_NAMED && ` and ${outside.value.length - MOST_NAMED} more`}: not among
            the model’s {vocabulary.value.length} words. It may know{" "}
            {outside.value.length === 1 ? "it" : "them"} by another name.
          </>
        ) : vocabulary.value === "open" ? (
          "Name what to find."
        ) : (
          <>
            Name what to find.{" "}
            <button type="button" class="prompts-browse" onClick={browse}>
              Show the model’s {vocabulary.value.length} words
            </button>
          </>
        )}
      </div>
    </div>
  );
}
