import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { MasksJson } from "segmentation-client";
import { ClipViewer } from "../viewer/clip/index.ts";
import { maskColour } from "../viewer/colours.ts";
import { type ClipObject, nameOf } from "./objects.ts";
import type { Playback } from "./playback.ts";
import { shownAt } from "./time.ts";

export interface ClipStageProps {
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
}

/** A clip with the masks of the frame that is shown. */
export function ClipStage(props: ClipStageProps) {
  const { label, url, masksJson, objects, hidden, hasMasks, opacity, highlighted, playback } = props;
  const shown = useMemo(
    () =>
      objects.map((object) => ({
        objectId: object.id,
        colour: maskColour(object.promptIndex, object.index),
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
        onVideo={(video) => playback.attach(video)}
      />
    </div>
  );
}
