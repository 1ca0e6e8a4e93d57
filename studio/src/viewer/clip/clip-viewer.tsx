import { effect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { MasksJson } from "segmentation-client";
import { type ShownMasks, Stage } from "../stage/stage.ts";
import { Surface, type SurfaceProps } from "../surface.tsx";
import type { PointingTool } from "../types.ts";
import { ClipMasks, objectOf, type ShownObject } from "./clip-masks.ts";
import { followFrames } from "./frames.ts";
import "../viewer.css";

/** Properties of a video's viewer. Another video needs another viewer (`key`); another job of it does not. */
export interface ClipViewerProps extends Pick<SurfaceProps, "label" | "pendingRegions" | "onRegion"> {
  /** The video: a URL that answers requests of other origins, or a blob's; null shows the masks alone. */
  readonly src: string | null;
  readonly masksJson: MasksJson;
  /** Returns the processed frame for a moment of the video, in seconds: its place in `masksJson.frames`, -1 for none. */
  readonly sampleAt: (seconds: number) => number;
  /** The processed frame that is shown while there is no video. */
  readonly sample: ReadonlySignal<number>;
  /** The objects to show; a new list whenever one of them changes. */
  readonly objects: readonly ShownObject[];
  /** Opacity of masks, 0 to 1. */
  readonly opacity: ReadonlySignal<number>;
  /** The highlighted object. The viewer sets it to the one under the pointer, and follows changes from elsewhere. */
  readonly highlighted: Signal<number | null>;
  readonly tool: "pan" | PointingTool;
  /** Gets the video, to play it. Returns a function that ends it. */
  readonly onVideo: (video: HTMLVideoElement) => () => void;
}

/** Keys that belong to a player; the viewer ignores them. While one points, arrows move the crosshair. */
const PLAYER_KEYS: ReadonlySet<string> = new Set([" ", "ArrowLeft", "ArrowRight"]);
const isOfPlayer = (key: string, tool: string): boolean =>
  PLAYER_KEYS.has(key) && (tool === "pan" || key === " ");

/** A video with its masks: each frame is drawn together with those that belong to it. It fills its parent. */
export function ClipViewer(props: ClipViewerProps) {
  const { src, masksJson, sample, objects, opacity, highlighted, ...surface } = props;
  const latest = useRef(props);
  latest.current = props;
  const video = useRef<HTMLVideoElement>(null);
  const pairing = useRef<FramePairing | null>(null);
  const shown = useRef(-1);
  /** The time of the frame that the video presents; null before its first. */
  const presented = useRef<number | null>(null);
  const stage = useMemo(() => new Stage(() => pairing.current?.release()), []);
  const masks = useMemo(() => new ClipMasks(masksJson), [masksJson]);
  const latestMasks = useRef(masks);
  latestMasks.current = masks;
  const { width, height } = masksJson;

  useLayoutEffect(() => {
    stage.open({ width, height });
    if (video.current !== null && presented.current !== null) stage.picture(video.current);
  }, [width, height]);
  useLayoutEffect(() => {
    const { current: element } = video;
    if (element === null) return;
    shown.current = -2;
    presented.current = null;
    const paired = new FramePairing(stage, element, (seconds) => {
      const now = latest.current.sampleAt(seconds);
      presented.current = seconds;
      if (now === shown.current) return null;
      shown.current = now;
      return latestMasks.current.of(now, latest.current.objects);
    });
    pairing.current = paired;
    const unfollow = followFrames(element, (seconds) => paired.present(seconds));
    const end = latest.current.onVideo(element);
    return () => {
      unfollow();
      end();
    };
  }, [src]);
  useLayoutEffect(
    () =>
      effect(() => {
        if (src === null) shown.current = sample.value;
        else if (presented.current !== null) shown.current = latest.current.sampleAt(presented.current);
        stage.show(masks.of(shown.current, objects));
      }),
    [objects, masks, src, sample],
  );
  useLayoutEffect(
    () =>
      effect(() => {
        const object = objects.find((each) => each.visible && each.objectId === highlighted.value);
        // A mask that is still being decoded is highlighted as soon as it is ready; one of another frame is another one.
        void [stage.maskStore.decoded.value, sample.value];
        stage.appearance({
          opacity: opacity.value,
          highlighted: object
            ? { key: masks.keyOf(shown.current, object.objectId), colour: object.colour }
            : null,
        });
      }),
    [objects, masks, opacity, highlighted, sample],
  );

  return (
    <>
      {src !== null && (
        <video
          ref={video}
          class="viewer-video"
          src={src}
          crossOrigin="anonymous"
          muted
          playsInline
          preload="auto"
          tabIndex={-1}
          aria-hidden="true"
        />
      )}
      <Surface
        {...surface}
        stage={stage}
        onHover={(key) => (highlighted.value = key === null ? null : objectOf(key))}
        nameOf={(key) => objects.find(({ objectId }) => objectId === objectOf(key))?.label ?? ""}
        leaves={(key) => isOfPlayer(key, surface.tool)}
      />
    </>
  );
}

/** Brings a video's frames and their masks onto a stage together: a frame is not seen before its masks are there. */
class FramePairing {
  readonly #stage: Stage;
  readonly #video: HTMLVideoElement;
  readonly #masksAt: (seconds: number) => ShownMasks | null;
  #isWaiting = false;
  /** The time of the latest frame that came while another waited for its masks. */
  #next: number | null = null;

  /** `masksAt` returns the masks of the frame at a time; null if they are those of the previous frame. */
  constructor(stage: Stage, video: HTMLVideoElement, masksAt: (seconds: number) => ShownMasks | null) {
    this.#stage = stage;
    this.#video = video;
    this.#masksAt = masksAt;
  }

  /** Takes the frame that the video presents now. While another waits, it is left out, unless no other comes after it. */
  present(seconds: number): void {
    if (this.#isWaiting) {
      this.#next = seconds;
      return;
    }
    const masks = this.#masksAt(seconds);
    if (masks !== null) {
      this.#isWaiting = true;
      this.#stage.hold(true);
      this.#stage.show(masks);
    }
    this.#stage.picture(this.#video);
  }

  /** All masks that were asked for are on the stage. */
  release(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#stage.hold(false);
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.present(next);
  }
}
