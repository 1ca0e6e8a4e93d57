import type { Bakery } from "../bake/bakery.ts";
import { Icon } from "../components/icon.tsx";
import { type GalleryItem, type PromptCount } from "./items.ts";
import { sentenceOf } from "../text/sentence-of.ts";
import { useThumbnail } from "./use-thumbnail.ts";

export interface CellProps {
  readonly item: GalleryItem;
  readonly bakery: Bakery;
  readonly isOpen: boolean;
  /** Whether the tabulator key comes to it. */
  readonly isReachable: boolean;
  readonly onOpen: () => void;
  readonly onFocus: () => void;
}

/** A picture of the gallery: its drawing, its name, and what was found in it or why nothing was. */
export function Cell({ item, bakery, isOpen, isReachable, onOpen, onFocus }: CellProps) {
  const { cell, canvas, counts, isDrawn } = useThumbnail(item, bakery);
  return (
    <li ref={cell} class="gallery-cell" data-state={item.state}>
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
          {item.state === "processing" && <span class="gallery-busy" aria-hidden="true" />}
        </span>
        <span class="gallery-name">{item.name}</span>
        <Words item={item} counts={counts.value} />
      </button>
    </li>
  );
}

const WORDS = { sending: "Uploading", waiting: "Queued", processing: "Segmenting", done: "Done" } as const;

function Words({
  item,
  counts,
}: {
  readonly item: GalleryItem;
  readonly counts: readonly PromptCount[] | null;
}) {
  const { state, problem, count } = item;
  if (state === "failed")
    return <span class="gallery-failure">{problem === null ? "The job failed." : sentenceOf(problem)}</span>;
  // What was found in it is known when the whole job is done.
  if (state !== "done" || count === null) return <span class="gallery-words">{WORDS[state]}</span>;
  if (count === 0) return <span class="gallery-words">No objects found</span>;
  if (counts === null || counts.length === 0) return <span class="gallery-words">{objects(count)}</span>;
  return (
    <span class="gallery-counts">
      {counts.map(({ prompt, count: of, rgb }) => (
        <span key={prompt}>
          <i style={{ background: `rgb(${rgb.join(" ")})` }} />
          {prompt ?? "by point or box"} {of}
        </span>
      ))}
    </span>
  );
}

const objects = (count: number): string => (count === 1 ? "1 object" : `${count} objects`);
