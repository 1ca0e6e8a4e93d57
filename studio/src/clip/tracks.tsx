import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Track } from "segmentation-client";
import { Icon } from "../components/icon.tsx";
import { maskColour } from "../viewer/colours.ts";
import { type ClipObject, nameOf } from "./objects.ts";
import type { Playback } from "./playback.ts";
import { type Span, spansOf } from "./spans.ts";
import { clock } from "./time.ts";

export interface TracksProps {
  readonly objects: readonly ClipObject[];
  readonly tracks: readonly Track[];
  readonly hidden: Signal<ReadonlySet<number>>;
  readonly playback: Playback;
}

/** The objects of a clip, each with when it is seen: to jump to, and to hide. */
export function Tracks({ objects, tracks, hidden, playback }: TracksProps) {
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
          aria-label="Place in the clip"
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
  readonly playback: Playback;
}

function TrackRow({ object, spans, isHidden, onToggle, playback }: TrackRowProps) {
  const { promptIndex, index, sightings, first, last, confidence } = object;
  const { value: duration } = playback.duration;
  const { css } = maskColour(promptIndex, index);
  const share = (seconds: number): string => `${duration === 0 ? 0 : (100 * seconds) / duration}%`;
  const jump = (event: MouseEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    playback.seek(((event.clientX - left) / width) * duration);
  };
  return (
    <li class="track" data-hidden={isHidden}>
      <button
        type="button"
        class="track-eye"
        aria-pressed={isHidden}
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
          {sightings === 1 ? "1 frame" : `${sightings} frames`}, {clock(first)}–{clock(last)},{" "}
          {Math.round(confidence * 100)} %
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
