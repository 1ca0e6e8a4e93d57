import { useLayoutEffect } from "preact/hooks";

let last: EventTarget | null = null;

if ("document" in globalThis) addEventListener("focusin", ({ target }) => (last = target));

/** Tells whether the element with the focus is gone: then keys and screen readers begin at the top of the page. */
const isFocusLost = (): boolean =>
  document.activeElement === document.body && last instanceof Node && !last.isConnected;

/** Gives a lost focus to an element that replaces the lost one, as soon as it is drawn. */
export function useLostFocus(find: () => HTMLElement | null | undefined): void {
  useLayoutEffect(() => {
    if (isFocusLost()) find()?.focus();
  });
}
