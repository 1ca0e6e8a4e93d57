import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Renderer } from "../render/renderer.ts";
import { Select } from "../components/controls/field.tsx";
import { useLostFocus } from "../state/lost-focus.ts";
import { Cell } from "./cell.tsx";
import { type Filter, filtered, type Status } from "./filter.ts";
import { type GalleryItem, stepTo } from "./items.ts";
import { AcceptSure, Selected } from "./judging.tsx";
import { type Band, Selection } from "./selection.ts";
import { useBand } from "./use-band.ts";
import type { Verdict } from "../workspace/rules/review.ts";
import "./gallery.css";

interface GalleryProps {
  readonly items: readonly GalleryItem[];
  /** The key of the open item. */
  readonly open: string | null;
  readonly filter: Signal<Filter>;
  /** Labels for the filter. */
  readonly labels: readonly string[];
  readonly onOpen: (key: string) => void;
  /** Judges pictures, or takes a verdict back that all of them have; absent without a review. */
  readonly onJudge?: ((keys: readonly string[], verdict: Verdict) => void) | undefined;
}

/** Keys that judge the selected pictures, or the focused one. */
const VERDICTS: Readonly<Record<string, Verdict>> = { a: "accepted", x: "rejected", Delete: "rejected" };

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
export function Gallery({ items, open, filter, labels, onOpen, onJudge }: GalleryProps) {
  const focused = useSignal<string | null>(open);
  const list = useRef<HTMLUListElement>(null);
  const renderer = useMemo(() => new Renderer(), []);
  useEffect(() => () => renderer.close(), []);
  const selection = useMemo(() => new Selection(), []);
  const shown = filtered(items, filter.value);
  const selected = onJudge === undefined ? [] : shown.filter(({ key }) => selection.keys.value.has(key));
  const banding = useBand(list, (among) => selection.set(among.flatMap((at) => shown[at]?.key ?? [])));
  const press = (key: string, { ctrlKey, metaKey, shiftKey }: MouseEvent | KeyboardEvent): boolean => {
    if (onJudge === undefined || !(ctrlKey || metaKey || shiftKey)) return false;
    if (shiftKey)
      selection.extendTo(
        key,
        shown.map((item) => item.key),
      );
    else selection.toggle(key);
    return true;
  };
  const reachable = Math.max(
    0,
    shown.findIndex(({ key }) => key === focused.value),
  );
  const cellAt = (place: number) => list.current?.children[place]?.querySelector("button");
  useLostFocus(() => cellAt(reachable));
  const step = (event: KeyboardEvent): void => {
    if (list.current === null) return;
    const { key: here } = shown[reachable] ?? {};
    if (event.key === "Escape") selection.set([]);
    if (event.key === " " && here !== undefined && press(here, event)) return event.preventDefault();
    const verdict = VERDICTS[event.key];
    if (verdict !== undefined && here !== undefined && !event.ctrlKey && !event.metaKey) {
      onJudge?.(selected.length > 0 ? selected.map(({ key }) => key) : [here], verdict);
      return;
    }
    const columns = getComputedStyle(list.current).gridTemplateColumns.split(" ").length;
    const to = stepTo(event.key, reachable, columns, shown.length);
    if (to === null) return;
    event.preventDefault();
    cellAt(to)?.focus();
  };
  return (
    <section class="gallery" aria-label="Pictures">
      <Head items={items} filter={filter} labels={labels} onJudge={onJudge} />
      {shown.length === 0 && (
        <p class="gallery-none">{FILTERS.find(({ name }) => name === filter.value.status)?.none}</p>
      )}
      {onJudge !== undefined && selected.length > 0 && (
        <Selected
          count={selected.length}
          onJudge={(verdict) => {
            onJudge(
              selected.map(({ key }) => key),
              verdict,
            );
            selection.set([]);
          }}
          onClear={() => selection.set([])}
        />
      )}
      <ul
        ref={list}
        class="gallery-grid"
        onKeyDown={step}
        {...(onJudge !== undefined && { onPointerDown: banding.begin })}
      >
        {shown.map((item, i) => (
          <Cell
            key={item.key}
            item={item}
            renderer={renderer}
            isOpen={item.key === open}
            isReachable={i === reachable}
            isSelected={onJudge !== undefined && selection.keys.value.has(item.key)}
            onOpen={(event) => {
              if (!press(item.key, event)) onOpen(item.key);
            }}
            onFocus={() => (focused.value = item.key)}
          />
        ))}
      </ul>
      {banding.band.value !== null && <div class="gallery-band" style={styleOf(banding.band.value)} />}
    </section>
  );
}

const styleOf = ({ left, top, right, bottom }: Band) => ({
  left: `${left}px`,
  top: `${top}px`,
  width: `${right - left}px`,
  height: `${bottom - top}px`,
});

/** Filters by verdict, offered once a picture is reviewed. */
const OF_REVIEWS: ReadonlySet<Status> = new Set(["open", "accepted", "rejected"]);

function Head({ items, filter, labels, onJudge }: Omit<GalleryProps, "open" | "onOpen">) {
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
      {onJudge !== undefined && (
        <AcceptSure items={filtered(items, filter.value)} onAccept={(keys) => onJudge(keys, "accepted")} />
      )}
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
