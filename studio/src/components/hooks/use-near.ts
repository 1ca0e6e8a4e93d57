import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/**
 * Returns true if an element is visible or nearly so, to load its content.
 * @param margin the margin around the visible part that counts as near, as in CSS
 */
export function useNear(element: RefObject<HTMLElement | null>, margin: string): ReadonlySignal<boolean> {
  const isNear = useSignal(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => (isNear.value = entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: margin },
    );
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isNear;
}
