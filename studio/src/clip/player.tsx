import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ClipViewer, type ClipViewerProps } from "../viewer/clip/clip-viewer.tsx";
import { Button } from "../components/controls/button.tsx";
import { type ClipObject, nameOf } from "./objects.ts";
import { type Playback, RATES } from "./playback.ts";
import { clock, shownAt } from "./time.ts";

type Followed = "src" | "sampleAt" | "sample" | "objects" | "onVideo";

interface ClipStageProps extends Omit<ClipViewerProps, Followed> {
  /** URL of the video; null if there is none to show. */
  readonly url: string | null;
  readonly objects: readonly ClipObject[];
  readonly hidden: ReadonlySet<number>;
  /** True if the video has the masks in it already. */
  readonly hasMasks: boolean;
  readonly playback: Playback;
}

/** A video with the masks of the frame that is shown. */
export function ClipStage({ url, objects, hidden, hasMasks, playback, ...viewer }: ClipStageProps) {
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
    <div class="clip-stage" style={{ "--ratio": viewer.masksJson.width / viewer.masksJson.height }}>
      <ClipViewer
        key={url ?? ""}
        {...viewer}
        src={url}
        sampleAt={(seconds) => shownAt(playback.times.peek(), seconds)}
        sample={playback.shown}
        objects={shown}
        onVideo={(video) => playback.attach(video)}
      />
    </div>
  );
}

interface TransportProps {
  readonly playback: Playback;
  /** True if the number of frames is not certain yet. */
  readonly isGuess: boolean;
  /** Further controls of the player. */
  readonly children: ComponentChildren;
}

/** Play, step, speed, and where the video is. */
export function Transport({ playback, isGuess, children }: TransportProps) {
  const { seconds, isPlaying, duration, rate, shown, times } = playback;
  return (
    <div class="transport">
      <Button
        variant="quiet"
        aria-label={isPlaying.value ? "Pause" : "Play"}
        disabled={!playback.canPlay.value}
        onClick={() => playback.toggle()}
      >
        <Sign of={isPlaying.value ? "pause" : "play"} />
      </Button>
      <Button variant="quiet" aria-label="Previous processed frame" onClick={() => playback.step(-1)}>
        <Sign of="back" />
      </Button>
      <Button variant="quiet" aria-label="Next processed frame" onClick={() => playback.step(1)}>
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
