import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Bakery } from "../bake/bakery.ts";
import { countedByPrompt, type GalleryItem, type PromptCount } from "./items.ts";

/** The longest side of a thumbnail in pixels: enough for the largest cell on a fine screen. */
const LONGEST = 560;
/** How far outside of what is seen thumbnails are drawn beforehand. */
const MARGIN = "50% 0px";

/** How far an element is above or below the window, in CSS pixels; 0 if a part of it may be seen. */
function beyondWindow(element: HTMLElement | null): number {
  if (element === null) return Infinity;
  const { top, bottom } = element.getBoundingClientRect();
  return Math.max(0, top - innerHeight, -bottom);
}

/** A picture's drawing in the gallery. */
export interface Thumbnail {
  /** To be put on the cell. It is watched: far from what is seen nothing is drawn. */
  readonly cell: RefObject<HTMLLIElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** What is known of its masks, once they are there. */
  readonly counts: Signal<readonly PromptCount[] | null>;
  /** Whether the canvas has a drawing. */
  readonly isDrawn: Signal<boolean>;
}

/** Draws an item's picture with its masks when it comes near, and again when it changes. What was drawn stays meanwhile. */
export function useThumbnail(item: GalleryItem, bakery: Bakery): Thumbnail {
  const cell = useRef<HTMLLIElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNear = useSignal(false);
  const isDrawn = useSignal(false);
  const counts = useSignal<readonly PromptCount[] | null>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        isNear.value = entries.at(-1)?.isIntersecting ?? false;
      },
      { rootMargin: MARGIN },
    );
    if (cell.current !== null) observer.observe(cell.current);
    return () => observer.disconnect();
  }, []);
  const draw = async (signal: AbortSignal): Promise<void> => {
    const [original, all] = await Promise.all([item.original(), item.state === "done" ? item.masks() : []]);
    if (signal.aborted) return;
    if (item.state === "done") counts.value = countedByPrompt(all);
    const masks = all.flatMap(({ png, rgb, isShown }) => (isShown ? [{ png, rgb }] : []));
    if (original === null && masks.length === 0) return;
    const request = { type: "thumbnail", original, masks, longest: LONGEST } as const;
    const bitmap = await bakery.thumbnail(request, signal, () => beyondWindow(cell.current));
    const { width, height } = bitmap;
    if (canvas.current === null) return bitmap.close();
    Object.assign(canvas.current, { width, height });
    canvas.current.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
    isDrawn.value = true;
  };
  const { value: near } = isNear;
  useEffect(() => {
    if (!near) return;
    const controller = new AbortController();
    // A cell without a drawing says by itself what it is of.
    void draw(controller.signal).catch(() => undefined);
    return () => controller.abort();
    // The item's functions may be new at each drawing; its revision says whether it has changed.
  }, [near, item.revision, item.state]);
  return { cell, canvas, counts, isDrawn };
}
