import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Renderer } from "../render/renderer.ts";
import { Button } from "../components/controls/button.tsx";
import { Select } from "../components/controls/field.tsx";
import { Cell } from "./cell.tsx";
import { type Filter, filtered, type Status, sureOf } from "./filter.ts";
import { type GalleryItem, stepTo } from "./items.ts";
import "./gallery.css";

interface GalleryProps {
  readonly items: readonly GalleryItem[];
  /** The key of the open item. */
  readonly open: string | null;
  readonly filter: Signal<Filter>;
  /** Labels for the filter. */
  readonly labels: readonly string[];
  readonly onOpen: (key: string) => void;
  /** Accepts pictures; absent if nobody reviews them here. */
  readonly onAccept?: ((keys: readonly string[]) => void) | undefined;
}

const FILTERS: readonly { readonly name: Status; readonly title: string; readonly none: string }[] = [
  { name: "all", title: "All", none: "There are no pictures." },
  { name: "with", title: "With objects", none: "No objects have been found so far." },
  { name: "without", title: "Without objects", none: "Every finished picture has objects." },
  { name: "failed", title: "Failed", none: "No pictures have failed." },
  { name: "canceled", title: "Canceled", none: "No pictures were canceled." },
  { name: "open", title: "To review", none: "All of these pictures are reviewed." },
  { name: "accepted", title: "Accepted", none: "No pictures have been accepted." },
  { name: "rejected", title: "Rejected", none: "No pictures have been rejected." },
];

/**
 * A batch: its pictures with their masks, the objects of each, and its progress. Arrow keys go from picture to picture.
 */
export function Gallery({ items, open, filter, labels, onOpen, onAccept }: GalleryProps) {
  const focused = useSignal<string | null>(open);
  const list = useRef<HTMLUListElement>(null);
  const renderer = useMemo(() => new Renderer(), []);
  useEffect(() => () => renderer.close(), []);
  const shown = filtered(items, filter.value);
  const reachable = Math.max(
    0,
    shown.findIndex(({ key }) => key === focused.value),
  );
  const step = (event: KeyboardEvent): void => {
    if (list.current === null) return;
    const columns = getComputedStyle(list.current).gridTemplateColumns.split(" ").length;
    const to = stepTo(event.key, reachable, columns, shown.length);
    if (to === null) return;
    event.preventDefault();
    const next = list.current.children[to]?.querySelector("button");
    next?.focus();
  };
  return (
    <section class="gallery" aria-label="Pictures">
      <Head items={items} filter={filter} labels={labels} onAccept={onAccept} />
      {shown.length === 0 && (
        <p class="gallery-none">{FILTERS.find(({ name }) => name === filter.value.status)?.none}</p>
      )}
      <ul ref={list} class="gallery-grid" onKeyDown={step}>
        {shown.map((item, i) => (
          <Cell
            key={item.key}
            item={item}
            renderer={renderer}
            isOpen={item.key === open}
            isReachable={i === reachable}
            onOpen={() => onOpen(item.key)}
            onFocus={() => (focused.value = item.key)}
          />
        ))}
      </ul>
    </section>
  );
}

/** Filters by verdict, offered once a picture is reviewed. */
const OF_REVIEWS: ReadonlySet<Status> = new Set(["open", "accepted", "rejected"]);

function Head({ items, filter, labels, onAccept }: Omit<GalleryProps, "open" | "onOpen">) {
  const isReviewed = items.some(({ verdict }) => verdict !== null);
  const hasCanceled = items.some(({ state }) => state === "canceled");
  const offered = FILTERS.filter(
    ({ name }) => (isReviewed || !OF_REVIEWS.has(name)) && (hasCanceled || name !== "canceled"),
  );
  return (
    <header class="gallery-head">
      <fieldset class="gallery-filter">
        <legend class="unseen">Which pictures to show</legend>
        {offered.map(({ name, title }) => (
          <label key={name}>
            <input
              type="radio"
              name="gallery-filter"
              checked={filter.value.status === name}
              onChange={() => (filter.value = { ...filter.value, status: name })}
            />
            <span>
              {title} <small>{filtered(items, { ...filter.value, status: name }).length}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {items.some(({ leastSure }) => leastSure !== null) && (
        <label class="gallery-label fine">
          <input
            type="checkbox"
            checked={filter.value.isUnsureFirst === true}
            onChange={({ currentTarget: { checked } }) =>
              (filter.value = { ...filter.value, isUnsureFirst: checked })
            }
          />
          Least sure first
        </label>
      )}
      {onAccept !== undefined && <AcceptSure items={filtered(items, filter.value)} onAccept={onAccept} />}
      {labels.length > 1 && (
        <label class="gallery-label fine">
          With
          <Select
            options={[[null, "any object"], ...labels.map((label) => [label, label] as const)]}
            chosen={filter.value.label}
            onChoose={(label) => (filter.value = { ...filter.value, label })}
          />
        </label>
      )}
    </header>
  );
}

/** Confidences from which on pictures can be accepted at once. */
const SURE = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95].map((least) => [least, `${Math.round(least * 100)}%`] as const);
const USUALLY_SURE = 0.8;

/** Accepts the pictures without a verdict whose objects are all sure. */
function AcceptSure({
  items,
  onAccept,
}: Pick<GalleryProps, "items"> & { readonly onAccept: (keys: readonly string[]) => void }) {
  const least = useSignal(USUALLY_SURE);
  const sure = sureOf(items, least.value);
  if (sureOf(items, 0).length === 0) return null;
  return (
    <div class="gallery-label fine">
      <Button disabled={sure.length === 0} onClick={() => onAccept(sure.map(({ key }) => key))}>
        Accept {sure.length}
      </Button>
      <label class="gallery-label">
        with all objects from
        <Select options={SURE} chosen={least.value} onChoose={(chosen) => (least.value = chosen)} />
      </label>
    </div>
  );
}
