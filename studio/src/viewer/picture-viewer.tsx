import { effect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { MaskIndexes } from "./masks/mask-store.ts";
import { type ShownMasks, Stage } from "./stage/stage.ts";
import { Surface, type SurfaceProps } from "./surface.tsx";
import type { Layer, Size } from "./types.ts";
import type { View } from "./view/view.ts";
import "./viewer.css";

/** Properties of a picture's viewer. */
interface PictureViewerProps extends Omit<
  SurfaceProps,
  "stage" | "onHover" | "nameOf" | "names" | "marked" | "leaves"
> {
  /** The picture as viewers show it, its EXIF orientation applied; null until it is there. It may have fewer pixels than `size`. */
  readonly picture: ImageBitmap | null;
  /** The picture's size in the pixels of its masks and regions. */
  readonly size: Size;
  /** The masks; a new list whenever one of them changes. A hidden one stays decoded. */
  readonly layers: readonly Layer[];
  /** Opacity of masks, 0 to 1. */
  readonly opacity: ReadonlySignal<number>;
  /** The highlighted layer. The viewer sets it to the one under the pointer, and follows changes from elsewhere. */
  readonly highlighted: Signal<string | null>;
  /** The highlighted layer while the pointer is on none. */
  readonly selected?: string | null;
  /** Several selected layers, which have their names on them. */
  readonly selection?: readonly string[];
  /** True if each mask has its name on it. */
  readonly hasNames?: boolean;
  /** View of the picture, shared by viewers of one size that move together. */
  readonly shared?: Signal<View | null>;
}

const NONE: readonly string[] = [];

/** A picture with its masks: to look at from near and far, and to point at, by mouse, touch and keys. It fills its parent. */
export function PictureViewer(props: PictureViewerProps) {
  const {
    picture,
    size,
    layers,
    opacity,
    highlighted,
    selected = null,
    selection = NONE,
    hasNames = false,
    shared,
    ...surface
  } = props;
  const { width, height } = size;
  const stage = useMemo(() => new Stage(), []);
  const indexes = useMemo(() => new MaskIndexes(), []);
  const names = useMemo(
    () => new Map(namesOf(layers.filter(({ id }) => hasNames || selection.includes(id)))),
    [layers, selection, hasNames],
  );
  const shown = useMemo(() => masksOf(layers, indexes), [layers]);

  // In this order: a picture of another size removes the state of the last one.
  useLayoutEffect(() => stage.open({ width, height }), [width, height]);
  useLayoutEffect(() => stage.picture(picture), [picture, width, height]);
  useLayoutEffect(() => stage.show(shown), [shown, width, height]);
  useLayoutEffect(
    () =>
      effect(() => {
        const standsOut = highlighted.value ?? selected;
        const layer = layers.find(({ id, visible }) => visible && id === standsOut);
        // A mask that is still being decoded is highlighted as soon as it is ready.
        void stage.maskStore.decoded.value;
        stage.appearance({
          opacity: opacity.value,
          highlighted: layer ? { key: layer.id, colour: layer.colour } : null,
        });
      }),
    [layers, opacity, highlighted, selected],
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
      {...surface}
      stage={stage}
      names={names}
      marked={selection}
      onHover={(id) => (highlighted.value = id)}
      nameOf={(key) => layers.find(({ id }) => id === key)?.label ?? ""}
    />
  );
}

const namesOf = (layers: readonly Layer[]) =>
  layers.flatMap(({ id, label, visible }) => (visible ? [[id, label] as const] : []));

function masksOf(layers: readonly Layer[], indexes: MaskIndexes): ShownMasks {
  const numbers = indexes.of(layers.map(({ id }) => id));
  const indexOf = ({ id }: Layer): number => numbers.get(id) ?? 0;
  return {
    sources: new Map(layers.map(({ id, mask }) => [id, mask])),
    masks: layers.filter(({ visible }) => visible).map((layer) => ({ key: layer.id, index: indexOf(layer) })),
    colours: new Map(layers.map((layer) => [indexOf(layer), layer.colour])),
  };
}
