import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Renderer } from "../render/renderer.ts";
import { Icon } from "../components/controls/button.tsx";
import { useNear } from "../components/hooks/use-near.ts";
import { counted } from "../text/format.ts";
import { sentenceOf } from "../text/task-problems.ts";
import { countedByLabel, type GalleryItem, type LabelCount } from "./items.ts";

interface CellProps {
  readonly item: GalleryItem;
  readonly renderer: Renderer;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** True if it can be reached with the Tab key. */
  readonly isReachable: boolean;
  readonly onOpen: (event: MouseEvent) => void;
  readonly onFocus: () => void;
}

/** A picture of the gallery: its drawing, its name, and its objects or the reason why it has none. */
export function Cell({ item, renderer, isOpen, isSelected, isReachable, onOpen, onFocus }: CellProps) {
  const { cell, canvas, counts, isDrawn } = useThumbnail(item, renderer);
  return (
    <li ref={cell} class="gallery-cell" data-state={item.state} data-selected={isSelected}>
      <button
        type="button"
        aria-current={isOpen}
        tabIndex={isReachable ? 0 : -1}
        onClick={onOpen}
        onFocus={onFocus}
        title={item.name}
      >
        <span class="gallery-picture">
          <canvas ref={canvas} hidden={!isDrawn.value} aria-hidden="true" />
          {!isDrawn.value && <Icon name="picture" size={24} />}
          {item.state === "sending" && (
            <progress
              class="gallery-share"
              max={1}
              value={item.share ?? 0}
              aria-label={`Uploading ${item.name}`}
            />
          )}
          {item.verdict !== null && (
            <span class="gallery-verdict" data-verdict={item.verdict}>
              <Icon name={item.verdict === "accepted" ? "check" : "close"} size={18} />
              <span class="unseen">{item.verdict}</span>
            </span>
          )}
          {item.state === "processing" && <span class="gallery-busy" aria-hidden="true" />}
        </span>
        <span class="gallery-name cut">
          {item.name}
          {isSelected && <span class="unseen">, selected</span>}
        </span>
        <Words item={item} counts={counts.value} />
      </button>
    </li>
  );
}

const WORDS = {
  here: "Not sent yet",
  sending: "Uploading",
  waiting: "Queued",
  processing: "Segmenting",
  done: "Done",
  canceled: "Canceled",
} as const;

function Words({
  item,
  counts,
}: {
  readonly item: GalleryItem;
  readonly counts: readonly LabelCount[] | null;
}) {
  const { state, problem, count } = item;
  if (state === "failed")
    return (
      <span class="fine gallery-failure">{problem === null ? "The job failed." : sentenceOf(problem)}</span>
    );
  // The objects are known after the end of the whole job.
  if (state !== "done" || count === null) return <span class="fine">{WORDS[state]}</span>;
  if (count === 0) return <span class="fine">No objects found</span>;
  if (counts === null || counts.length === 0) return <span class="fine">{counted(count, "object")}</span>;
  return (
    <span class="gallery-counts fine">
      {counts.map(({ label, count: of, rgb }) => (
        <span key={label}>
          <i style={{ background: `rgb(${rgb.join(" ")})` }} />
          {label ?? "by point or box"} {of}
        </span>
      ))}
    </span>
  );
}

/** The longest side of a thumbnail in pixels: enough for the largest cell on a fine screen. */
const LONGEST = 560;
/** Margin around the visible part in which thumbnails are drawn. */
const MARGIN = "50% 0px";

/** Returns the distance of an element from the window, in CSS pixels; 0 if a part of it may be visible. */
function beyondWindow(element: HTMLElement | null): number {
  if (element === null) return Infinity;
  const { top, bottom } = element.getBoundingClientRect();
  return Math.max(0, top - innerHeight, -bottom);
}

/** A picture's drawing in the gallery. */
interface Thumbnail {
  /** The ref for the cell. It is observed: far from the window nothing is drawn. */
  readonly cell: RefObject<HTMLLIElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** Counts of its masks by label, once they are there. */
  readonly counts: Signal<readonly LabelCount[] | null>;
  /** True if the canvas has a drawing. */
  readonly isDrawn: Signal<boolean>;
}

/**
 * Draws an item's picture with its masks when it comes near the window, and again when it changes. The old drawing
 * stays meanwhile.
 */
function useThumbnail(item: GalleryItem, renderer: Renderer): Thumbnail {
  const cell = useRef<HTMLLIElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNear = useNear(cell, MARGIN);
  const isDrawn = useSignal(false);
  const counts = useSignal<readonly LabelCount[] | null>(null);
  const draw = async (signal: AbortSignal): Promise<void> => {
    const [original, all] = await Promise.all([item.original(), item.state === "done" ? item.masks() : []]);
    if (signal.aborted) return;
    if (item.state === "done") counts.value = countedByLabel(all);
    const masks = all.flatMap(({ png, rgb, isShown }) => (isShown ? [{ png, rgb }] : []));
    if (original === null && masks.length === 0) return;
    const request = { type: "thumbnail", original, masks, longest: LONGEST } as const;
    const bitmap = await renderer.thumbnail(request, signal, () => beyondWindow(cell.current));
    const { width, height } = bitmap;
    if (canvas.current === null) return bitmap.close();
    Object.assign(canvas.current, { width, height });
    canvas.current.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
    isDrawn.value = true;
  };
  const { value: near } = isNear;
  useEffect(() => {
    if (!near) {
      // A drawing far from the window takes as much memory as one in sight.
      isDrawn.value = false;
      if (canvas.current !== null) Object.assign(canvas.current, { width: 0, height: 0 });
      return;
    }
    const controller = new AbortController();
    // A cell without a drawing shows its name.
    void draw(controller.signal).catch(() => undefined);
    return () => controller.abort();
    // The item's functions may be new at each drawing; its revision says whether it has changed.
  }, [near, item.revision, item.state]);
  return { cell, canvas, counts, isDrawn };
}
