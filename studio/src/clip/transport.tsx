import type { ComponentChildren } from "preact";
import { Button } from "../components/button.tsx";
import { type Playback, RATES } from "./playback.ts";
import { clock } from "./time.ts";

export interface TransportProps {
  readonly playback: Playback;
  /** Further controls of the player. */
  readonly children: ComponentChildren;
}

/** Play, step, speed, and where the clip is. */
export function Transport({ playback, children }: TransportProps) {
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
      <span class="transport-frame">
        Frame {shown.value + 1} of {times.value.length}
      </span>
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
