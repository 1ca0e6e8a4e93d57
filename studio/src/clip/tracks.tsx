import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Icon } from "../components/controls/button.tsx";
import { lazyDialog } from "../components/lazy/lazy-part.tsx";
import { Menu, type MenuItem } from "../components/controls/menu.tsx";
import { pictureSurface } from "../state/lost-focus.ts";
import type { ClipPointing } from "./clip-pointing.ts";
import { type ClipObject, nameOf, seenInWords } from "./objects.ts";
import type { Playback } from "./playback.ts";
import { clock, spansOf } from "./time.ts";
import "./tracks.css";

const RenameDialog = lazyDialog(async () => (await import("../edit/dialogs.tsx")).RenameDialog);

interface TracksProps {
  readonly objects: readonly ClipObject[];
  readonly hidden: Signal<ReadonlySet<number>>;
  /** The highlighted object, here and in the player. */
  readonly highlighted: Signal<number | null>;
  /** True if the masks are in the video itself: then it has other colors, and none can be hidden. */
  readonly isBurnedIn: boolean;
  /** True if a job has ended: an object without a mask is then lost. */
  readonly isFollowed: boolean;
  readonly playback: Playback;
  /** Null if nothing can be pointed at. */
  readonly pointing: ClipPointing | null;
}

/** The objects of a video, each with the times at which it is visible: to jump to, to hide, and to correct. */
export function Tracks({ objects, hidden, ...row }: TracksProps) {
  const { playback } = row;
  const { value: duration } = playback.duration;
  const classes = [...new Set(objects.flatMap(({ label }) => label ?? []))];
  const toggle = (id: number): void => {
    const next = new Set(hidden.value);
    if (!next.delete(id)) next.add(id);
    hidden.value = next;
  };
  return (
    <>
      <ol class="tracks" aria-label="Objects">
        <li class="tracks-scrub">
          <input
            type="range"
            aria-label="Position in the video"
            aria-valuetext={clock(playback.seconds.value)}
            min={0}
            max={duration}
            step="any"
            value={playback.seconds.value}
            onInput={({ currentTarget }) => playback.seek(currentTarget.valueAsNumber)}
          />
        </li>
        {objects.map((object) => (
          <TrackRow
            key={object.id}
            {...row}
            object={object}
            classes={classes}
            isHidden={hidden.value.has(object.id)}
            onToggle={() => toggle(object.id)}
          />
        ))}
      </ol>
      {objects.some(({ isPointed }) => isPointed) && (
        <p class="tracks-legend fine">
          <span class="tracks-at" /> pointed at
          {row.isFollowed && (
            <>
              <span class="tracks-sure" /> sure
              <span class="tracks-unsure" /> unsure
              <span class="tracks-lost" /> lost
            </>
          )}
        </p>
      )}
    </>
  );
}

interface TrackRowProps extends Omit<TracksProps, "objects" | "hidden"> {
  readonly object: ClipObject;
  /** Classes of all objects. */
  readonly classes: readonly string[];
  readonly isHidden: boolean;
  readonly onToggle: () => void;
}

function TrackRow(props: TrackRowProps) {
  const { object, classes, isHidden, onToggle, highlighted, isBurnedIn, isFollowed, playback, pointing } =
    props;
  const { id, colour, sightings, isPointed, pointedAt } = object;
  const { value: duration } = playback.duration;
  const { value: times } = playback.times;
  const isRenaming = useSignal(false);
  const spans = useMemo(() => spansOf(times, sightings, duration), [sightings, times, duration]);
  const css = isBurnedIn ? "var(--line-strong)" : colour.css;
  const share = (seconds: number): string => `${duration === 0 ? 0 : (100 * seconds) / duration}%`;
  const scrub = (event: MouseEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    playback.seek(((event.clientX - left) / width) * duration);
  };
  const light = () => (highlighted.value = id);
  const unlight = (): void => {
    if (highlighted.value === id) highlighted.value = null;
  };
  const name = nameOf(object);
  return (
    <li
      class="track"
      data-hidden={isHidden}
      data-lit={highlighted.value === id}
      data-target={pointing?.target.value === id && isPointed}
      onPointerEnter={light}
      onPointerLeave={unlight}
      onFocusIn={light}
      onFocusOut={unlight}
    >
      <button
        type="button"
        class="track-eye"
        aria-pressed={isHidden}
        disabled={isBurnedIn || sightings.length === 0}
        aria-label={`Hide ${name}`}
        onClick={onToggle}
      >
        <Icon name={isHidden ? "hidden" : "eye"} size={18} />
      </button>
      <button
        type="button"
        class="track-name"
        title="Go to its first frame"
        onClick={() => playback.seek(sightings[0]?.timeSec ?? pointedAt[0] ?? 0)}
      >
        <i style={{ background: css }} />
        <span>{name}</span>
        <small>{seenInWords(object, isFollowed ? times.length : null)}</small>
      </button>
      {/* For the pointer alone: the slider and the names lead to every place by keyboard. */}
      <div
        class="track-bar"
        data-followed={isPointed && isFollowed}
        aria-hidden="true"
        // A browser moves a finger's tap to the nearest element that takes clicks.
        onClick={scrub}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) scrub(event);
        }}
      >
        {spans.map(({ from, to, isSure: isFull }) => (
          <span
            key={from}
            data-sure={isFull}
            style={{ left: share(from), width: share(to - from), "--colour": css }}
          />
        ))}
        {pointedAt.map((seconds, i) => (
          <i key={i} class="tracks-at" style={{ left: share(seconds) }} />
        ))}
        <b style={{ left: share(playback.seconds.value) }} />
      </div>
      {isPointed && pointing !== null && (
        <Menu
          label={`Change ${name}`}
          items={itemsOf(object, playback, pointing, () => (isRenaming.value = true))}
        />
      )}
      {isRenaming.value && (
        <RenameDialog
          name={name}
          label={object.label}
          classes={classes}
          hint={
            sightings.length > 0 ? "COCO has the new name at once, masks.json after the next run." : undefined
          }
          onRename={(label) => pointing?.rename(id, label)}
          onClose={() => (isRenaming.value = false)}
        />
      )}
    </li>
  );
}

/** Menu items of an object that was pointed at. */
function itemsOf(
  { id, sightings }: ClipObject,
  playback: Playback,
  pointing: ClipPointing,
  rename: () => void,
): readonly MenuItem[] {
  const [worst] = sightings.toSorted((a, b) => a.confidence - b.confidence);
  return [
    { name: "Rename…", to: rename },
    {
      name: "Correct by points",
      to: () => {
        pointing.correct(id);
        // The keys that point are the frame's.
        pictureSurface()?.focus();
      },
    },
    ...(worst === undefined
      ? []
      : [{ name: "Go to its least sure frame", to: () => playback.seek(worst.timeSec) }]),
    {
      name: sightings.length > 0 ? "Leave out of the next run" : "Remove",
      isDangerous: true,
      to: () => pointing.remove(id),
    },
  ];
}
