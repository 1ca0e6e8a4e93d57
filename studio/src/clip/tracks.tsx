import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Track } from "segmentation-client";
import { Icon } from "../components/button.tsx";
import { counted } from "../text/format.ts";
import { type ClipObject, nameOf } from "./objects.ts";
import type { Playback } from "./playback.ts";
import { clock, type Span, spansOf } from "./time.ts";

interface TracksProps {
  readonly objects: readonly ClipObject[];
  readonly tracks: readonly Track[];
  readonly hidden: Signal<ReadonlySet<number>>;
  /** The object that stands out, here and in the player. */
  readonly highlighted: Signal<number | null>;
  /** Whether the masks are in the video itself: then it has colours of its own, and none can be hidden. */
  readonly isBaked: boolean;
  readonly playback: Playback;
}

/** The objects of a clip, each with the times at which it is visible: to jump to, and to hide. */
export function Tracks({ objects, tracks, hidden, highlighted, isBaked, playback }: TracksProps) {
  const { value: duration } = playback.duration;
  const { value: times } = playback.times;
  const spans = useMemo(
    () =>
      new Map(
        tracks.map(({ objectId, sightings }) => [
          objectId,
          spansOf(
            times,
            sightings.map(({ sampleIdx }) => sampleIdx),
            duration,
          ),
        ]),
      ),
    [tracks, times, duration],
  );
  const toggle = (id: number): void => {
    const next = new Set(hidden.value);
    if (!next.delete(id)) next.add(id);
    hidden.value = next;
  };
  return (
    <ol class="tracks" aria-label="Objects">
      <li class="tracks-scrub">
        <input
          type="range"
          aria-label="Position in the clip"
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
          object={object}
          spans={spans.get(object.id) ?? []}
          isHidden={hidden.value.has(object.id)}
          onToggle={() => toggle(object.id)}
          highlighted={highlighted}
          isBaked={isBaked}
          playback={playback}
        />
      ))}
    </ol>
  );
}

interface TrackRowProps {
  readonly object: ClipObject;
  readonly spans: readonly Span[];
  readonly isHidden: boolean;
  readonly onToggle: () => void;
  readonly highlighted: Signal<number | null>;
  readonly isBaked: boolean;
  readonly playback: Playback;
}

function TrackRow(props: TrackRowProps) {
  const { object, spans, isHidden, onToggle, highlighted, isBaked, playback } = props;
  const { id, colour, sightings, first, last, confidence } = object;
  const { value: duration } = playback.duration;
  const css = isBaked ? "var(--line-strong)" : colour.css;
  const share = (seconds: number): string => `${duration === 0 ? 0 : (100 * seconds) / duration}%`;
  const jump = (event: MouseEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    playback.seek(((event.clientX - left) / width) * duration);
  };
  const light = () => (highlighted.value = id);
  const unlight = (): void => {
    if (highlighted.value === id) highlighted.value = null;
  };
  return (
    <li
      class="track"
      data-hidden={isHidden}
      data-lit={highlighted.value === id}
      onPointerEnter={light}
      onPointerLeave={unlight}
      onFocusIn={light}
      onFocusOut={unlight}
    >
      <button
        type="button"
        class="track-eye"
        aria-pressed={isHidden}
        disabled={isBaked}
        aria-label={`Hide ${nameOf(object)}`}
        onClick={onToggle}
      >
        <Icon name={isHidden ? "hidden" : "eye"} size={18} />
      </button>
      <button
        type="button"
        class="track-name"
        title="Go to its first frame"
        onClick={() => playback.seek(first)}
      >
        <i style={{ background: css }} />
        <span>{nameOf(object)}</span>
        <small>
          {counted(sightings, "frame")}, {clock(first)}–{clock(last)}, {Math.round(confidence * 100)}%
        </small>
      </button>
      {/* For the pointer alone: the slider and the names lead to every place by keyboard. */}
      <div class="track-bar" onClick={jump} aria-hidden="true">
        {spans.map(({ from, to }) => (
          <span key={from} style={{ left: share(from), width: share(to - from), background: css }} />
        ))}
        <b style={{ left: share(playback.seconds.value) }} />
      </div>
    </li>
  );
}
