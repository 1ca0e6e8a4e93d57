import { useEffect, useRef } from "preact/hooks";
import type { MasksJson } from "segmentation-client";
import { coverageOf, tinted } from "../bake/coverage.ts";
import { maskColour } from "../viewer/colours.ts";
import { decodeMask } from "../viewer/masks/source.ts";
import type { ClipObject } from "./objects.ts";
import type { Playback } from "./playback.ts";

export interface ClipStageProps {
  readonly label: string;
  /** Where the clip's video is; null if there is none to show. */
  readonly url: string | null;
  readonly masksJson: MasksJson;
  readonly objects: readonly ClipObject[];
  readonly hidden: ReadonlySet<number>;
  /** Whether the video has the masks in it already. */
  readonly hasMasks: boolean;
  readonly playback: Playback;
}

/** The longest side of what the masks are drawn in, in pixels. */
const LONGEST = 960;

/** A clip with the masks of the frame that is shown. */
export function ClipStage({ label, url, masksJson, objects, hidden, hasMasks, playback }: ClipStageProps) {
  const video = useRef<HTMLVideoElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = masksJson;
  const scale = Math.min(1, LONGEST / Math.max(width, height));
  const drawing = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const { value: shown } = playback.shown;
  useEffect(() => (video.current === null ? undefined : playback.attach(video.current)), [url]);
  useEffect(() => {
    if (hasMasks) return;
    let isWanted = true;
    const draw = async (): Promise<void> => {
      const found = masksJson.frames[shown]?.objects ?? [];
      const layers = await Promise.all(
        found.flatMap(({ objectId, rle }) => {
          const object = objects.find(({ id }) => id === objectId);
          if (object === undefined || hidden.has(objectId)) return [];
          const { rgb } = maskColour(object.promptIndex, object.index);
          return [decodeMask(rle).then((mask) => ({ mask, rgb }))];
        }),
      );
      const context = canvas.current?.getContext("2d");
      if (!isWanted || !context) return;
      context.clearRect(0, 0, drawing.width, drawing.height);
      for (const { mask, rgb } of layers.toSorted((a, b) => b.mask.area - a.mask.area)) {
        const coverage = coverageOf(mask, { picture: { width, height }, drawing });
        if (coverage.width === 0) continue;
        const layer = new ImageData(tinted(coverage, rgb, 2), coverage.width, coverage.height);
        context.drawImage(await createImageBitmap(layer), coverage.x, coverage.y);
      }
    };
    void draw();
    return () => {
      isWanted = false;
    };
  }, [shown, hidden, masksJson, hasMasks]);
  return (
    <div class="clip-stage" style={{ aspectRatio: `${width} / ${height}` }}>
      {url !== null && <video ref={video} src={url} muted playsInline preload="auto" aria-label={label} />}
      {!hasMasks && <canvas ref={canvas} {...drawing} aria-hidden="true" />}
    </div>
  );
}
