import { effect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import type { Brush } from "./input/draft-marks.tsx";
import { Slots } from "./masks/mask-board.ts";
import { type ShownMasks, Stage } from "./stage/stage.ts";
import { Surface } from "./stage/surface.tsx";
import type { Layer, Region, Size, Tool } from "./types.ts";
import type { View } from "./view/view.ts";
import "./viewer.css";

/** What a picture's viewer shows and reports. */
interface PictureViewerProps {
  /** What the picture shows, for those who don't see it: its file's name, say. */
  readonly label: string;
  /** The picture as viewers show it, its EXIF orientation applied; null until it is there. It may have fewer pixels than `size`. */
  readonly picture: ImageBitmap | null;
  /** The picture's size in the pixels of its masks and regions. */
  readonly size: Size;
  /** The masks; a new list whenever one of them changes. A hidden one stays decoded. */
  readonly layers: readonly Layer[];
  /** How strongly masks cover the picture, 0 to 1. */
  readonly opacity: ReadonlySignal<number>;
  /** The layer that stands out. The viewer sets it to what is under the pointer, and follows changes from elsewhere. */
  readonly highlighted: Signal<string | null>;
  readonly tool: Tool;
  /** The regions that are marked on the picture. The latest one is what points are added to. */
  readonly drafts?: readonly Region[];
  /** Called with each region that is pointed at; if `replacesLatest`, it is the latest draft with one more point. */
  readonly onRegion?: (region: Region, replacesLatest: boolean) => void;
  /** How `brush` and `eraser` paint. */
  readonly brush?: Brush | null;
  /** Called with each stroke: x, y, x, y, … in pixels of the picture, and the topmost mask where it begins. */
  readonly onStroke?: (points: readonly number[], mask: string | null) => void;
  /** How the picture is seen, shared by viewers of one size that move together. */
  readonly shared?: Signal<View | null>;
  /** Called on a click in the tool `pan` with the layer under it, or null. */
  readonly onPick?: (layer: string | null) => void;
}

/** A picture with its masks: to look at from near and far, and to point at, by mouse, touch and keys. It fills its parent. */
export function PictureViewer(props: PictureViewerProps) {
  const { label, picture, layers, opacity, highlighted, tool, shared } = props;
  const { width, height } = props.size;
  const stage = useMemo(() => new Stage(), []);
  const slots = useMemo(() => new Slots(), []);
  const shown = useMemo(() => masksOf(layers, slots), [layers]);

  // In this order: a picture of another size takes what belonged to the last one away.
  useLayoutEffect(() => stage.open({ width, height }), [width, height]);
  useLayoutEffect(() => stage.picture(picture), [picture, width, height]);
  useLayoutEffect(() => stage.show(shown), [shown, width, height]);
  useLayoutEffect(
    () =>
      effect(() => {
        const layer = layers.find(({ id, visible }) => visible && id === highlighted.value);
        // A mask that is still being decoded stands out as soon as it is there.
        void stage.board.decoded.value;
        stage.look({
          opacity: opacity.value,
          highlighted: layer ? { key: layer.id, colour: layer.colour } : null,
        });
      }),
    [layers, opacity, highlighted],
  );

  useEffect(() => {
    if (shared === undefined) return () => {};
    const ends = [
      effect(() => void (shared.value = stage.view.value)),
      effect(() => {
        if (shared.value !== null && shared.value !== stage.view.peek()) stage.see(shared.value);
      }),
    ];
    return () => ends.forEach((end) => end());
  }, [stage, shared]);

  return (
    <Surface
      stage={stage}
      label={label}
      tool={tool}
      {...(props.drafts && { drafts: props.drafts })}
      onRegion={(region, replacesLatest) => props.onRegion?.(region, replacesLatest)}
      brush={props.brush ?? null}
      onStroke={(points, mask) => props.onStroke?.(points, mask)}
      onHover={(id) => (highlighted.value = id)}
      onPick={(id) => props.onPick?.(id)}
      nameOf={(key) => layers.find(({ id }) => id === key)?.label ?? ""}
    />
  );
}

function masksOf(layers: readonly Layer[], slots: Slots): ShownMasks {
  const numbers = slots.of(layers.map(({ id }) => id));
  const slotOf = ({ id }: Layer): number => numbers.get(id) ?? 0;
  return {
    sources: new Map(layers.map(({ id, mask }) => [id, mask])),
    masks: layers.filter(({ visible }) => visible).map((layer) => ({ key: layer.id, slot: slotOf(layer) })),
    colours: new Map(layers.map((layer) => [slotOf(layer), layer.colour])),
  };
}
