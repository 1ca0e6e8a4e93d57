import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { MasksJson } from "segmentation-client";
import type { ComponentChildren } from "preact";
import type { PointingTool, Region } from "../viewer/types.ts";
import { ClipViewer } from "../viewer/clip/clip-viewer.tsx";
import { Button } from "../components/button.tsx";
import { type ClipObject, nameOf } from "./objects.ts";
import { type Playback, RATES } from "./playback.ts";
import { clock, shownAt } from "./time.ts";

interface ClipStageProps {
  readonly label: string;
  /** Where the clip's video is; null if there is none to show. */
  readonly url: string | null;
  readonly masksJson: MasksJson;
  readonly objects: readonly ClipObject[];
  readonly hidden: ReadonlySet<number>;
  /** Whether the video has the masks in it already. */
  readonly hasMasks: boolean;
  readonly opacity: Signal<number>;
  /** The object that stands out. */
  readonly highlighted: Signal<number | null>;
  readonly playback: Playback;
  readonly tool: "pan" | PointingTool;
  /** See `ClipViewer`. */
  readonly drafts: readonly Region[];
  readonly onRegion: (region: Region, replacesLatest: boolean) => void;
}

/** A clip with the masks of the frame that is shown. */
export function ClipStage(props: ClipStageProps) {
  const { label, url, masksJson, objects, hidden, hasMasks, opacity, highlighted, playback } = props;
  const shown = useMemo(
    () =>
      objects.map((object) => ({
        objectId: object.id,
        colour: object.colour,
        visible: !hasMasks && !hidden.has(object.id),
        label: nameOf(object),
      })),
    [objects, hidden, hasMasks],
  );
  return (
    <div class="clip-stage" style={{ aspectRatio: masksJson.width / masksJson.height }}>
      <ClipViewer
        key={url ?? ""}
        label={label}
        src={url}
        masksJson={masksJson}
        sampleAt={(seconds) => shownAt(playback.times.peek(), seconds)}
        sample={playback.shown}
        objects={shown}
        opacity={opacity}
        highlighted={highlighted}
        tool={props.tool}
        drafts={props.drafts}
        onRegion={props.onRegion}
        onVideo={(video) => playback.attach(video)}
      />
    </div>
  );
}

interface TransportProps {
  readonly playback: Playback;
  /** Whether the number of frames is not certain yet. */
  readonly isGuess: boolean;
  /** Further controls of the player. */
  readonly children: ComponentChildren;
}

/** Play, step, speed, and where the clip is. */
export function Transport({ playback, isGuess, children }: TransportProps) {
  const { seconds, isPlaying, duration, rate, shown, times } = playback;
  return (
    <div class="transport">
      <Button
        look="quiet"
        aria-label={isPlaying.value ? "Pause" : "Play"}
        disabled={!playback.canPlay.value}
        onClick={() => playback.toggle()}
      >
        <Sign of={isPlaying.value ? "pause" : "play"} />
      </Button>
      <Button look="quiet" aria-label="Previous processed frame" onClick={() => playback.step(-1)}>
        <Sign of="back" />
      </Button>
      <Button look="quiet" aria-label="Next processed frame" onClick={() => playback.step(1)}>
        <Sign of="on" />
      </Button>
      <span class="transport-time">
        {clock(seconds.value)} <span>of {clock(duration.value)}</span>
      </span>
      {times.value.length > 0 && (
        <span class="transport-frame">
          Frame {shown.value + 1} of {isGuess && "about "}
          {times.value.length}
        </span>
      )}
      <div class="transport-more">{children}</div>
      <label class="transport-speed">
        <span>Speed</span>
        <select
          value={String(rate.value)}
          onChange={({ currentTarget }) => playback.speed(Number(currentTarget.value))}
        >
          {RATES.map((each) => (
            <option key={each} value={String(each)}>
              {each} ×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const SIGNS = {
  play: "M7 5l12 7-12 7z",
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  back: "M17 6l-8 6 8 6zM6 6h1.500v12H6z",
  on: "M7 6l8 6-8 6zM16.500 6H18v12h-1.500z",
} as const;

const Sign = ({ of }: { readonly of: keyof typeof SIGNS }) => (
  <svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
    <path d={SIGNS[of]} />
  </svg>
);
