import { useLayoutEffect } from "preact/hooks";

let last: EventTarget | null = null;

if ("document" in globalThis) addEventListener("focusin", ({ target }) => (last = target));

/** Tells whether the element with the focus is gone: then keys and screen readers begin at the top of the page. */
const isFocusLost = (): boolean =>
  document.activeElement === document.body && last instanceof Node && !last.isConnected;

/** Returns the element that takes the keys of the open picture or video; null if there is none. */
export const pictureSurface = (): HTMLElement | null =>
  document.querySelector(".stage > .viewer .viewer-surface, .clip-stage .viewer-surface");

/** Moves the focus from a removed element to the one that `find` returns, as soon as that is drawn. */
export function useLostFocus(find: () => HTMLElement | null | undefined): void {
  useLayoutEffect(() => {
    if (isFocusLost()) find()?.focus();
  });
}
