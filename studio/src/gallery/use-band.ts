import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { areTouching, type Band, bandOf } from "./selection.ts";

/** A rectangle that a mouse draws between the cells of a list. @param onSelect called with the places of the cells that it touches */
export function useBand(
  list: RefObject<HTMLUListElement | null>,
  onSelect: (places: readonly number[]) => void,
) {
  const band = useSignal<Band | null>(null);
  const begin = ({ target, pointerType, button, clientX: x, clientY: y }: PointerEvent): void => {
    const isBetween = target instanceof Element && target.closest("button") === null;
    if (!isBetween || pointerType !== "mouse" || button !== 0) return;
    const end = new AbortController();
    const move = (event: PointerEvent): void => {
      const now = bandOf({ x, y }, { x: event.clientX, y: event.clientY });
      band.value = now;
      const cells = [...(list.current?.children ?? [])];
      onSelect(cells.flatMap((cell, i) => (areTouching(cell.getBoundingClientRect(), now) ? [i] : [])));
      event.preventDefault();
    };
    const stop = (): void => {
      band.value = null;
      end.abort();
    };
    addEventListener("pointermove", move, { signal: end.signal });
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, stop, { signal: end.signal });
  };
  return { band, begin };
}
