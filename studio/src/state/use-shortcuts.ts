import { useEffect, useRef } from "preact/hooks";

/** Tells whether a key goes to a field that takes text, or to a dialog or menu in front of the screen, and so is no shortcut. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const isField =
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
  return isField || target.closest("dialog, [role=menu]") !== null;
}

/**
 * Listens to keys wherever the focus is, while the component is drawn. Keys with Alt are the browser's.
 * @param act performs the action of the key, in lower case; returns false if there is none
 */
export function useShortcuts(act: (key: string, event: KeyboardEvent) => boolean): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.altKey) return;
      if (newest.current(event.key.toLowerCase(), event)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
