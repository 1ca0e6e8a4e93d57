import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Command, commandOf, toolWith, ZOOM_STEP } from "./input/commands.ts";
import { type Brush, RegionMarks } from "./input/region-marks.tsx";
import { listenToGestures } from "./input/gestures.ts";
import { Pointing, type PointingContext } from "./input/pointing.ts";
import { isPaint, type Point, type Region, type Tool } from "./types.ts";
import { isFit } from "./view/view.ts";
import { MaskNames } from "./mask-names.tsx";
import type { Stage } from "./stage/stage.ts";

/** The properties of a viewer's surface; masks are identified by their keys in the stage's mask store. */
export interface SurfaceProps extends Partial<PointingContext> {
  readonly stage: Stage;
  /** Contents of the picture, for screen readers. */
  readonly label: string;
  readonly tool: Tool;
  /** Brush of the tools `brush` and `eraser`. */
  readonly brush?: Brush;
  /** Called with the topmost mask at the pointer or the crosshair, null if there is none. */
  readonly onHover: (key: string | null) => void;
  /** Returns the displayed name of a mask. */
  readonly nameOf: (key: string) => string;
  /** Names of masks that are shown on them, by their keys. */
  readonly names?: ReadonlyMap<string, string>;
  /** Keys of the masks whose names are marked. */
  readonly marked?: readonly string[];
  /** Keys that the surface leaves to the elements around it. */
  readonly leaves?: (key: string) => boolean;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_REGIONS: readonly Region[] = [];

/** The zoom factor of a double click. */
const DOUBLE_CLICK_ZOOM = 2.5;

/** Distance that a key pans, in CSS pixels. */
const PAN_STEP = 48;

/** A stage's canvas with everything that pointers and keys do on it. */
export function Surface(props: SurfaceProps) {
  const {
    stage,
    label,
    tool,
    pendingRegions = NO_REGIONS,
    names = NO_NAMES,
    marked = [],
    brush = null,
  } = props;
  const latest = useRef(props);
  latest.current = props;
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isSpaceDown = useSignal(false);
  const pointing = useMemo(
    () => new Pointing(stage, () => ({ pendingRegions: NO_REGIONS, ...latest.current })),
    [stage],
  );
  const announced = useComputed(() => describe(pointing.crosshair.value, stage, latest.current.nameOf));

  useLayoutEffect(() => {
    if (element.current === null || canvas.current === null) return;
    const { current: surface } = canvas;
    const keyAt = (at: Point): string | null => stage.maskStore.topmostAt(wholePixel(stage.toPicture(at)));
    const selectsMany = ({ ctrlKey, metaKey }: PointerEvent): boolean =>
      (ctrlKey || metaKey) && latest.current.onSelectMany !== undefined && !isPaint(latest.current.tool);
    const detach = stage.attach(surface);
    const ignore = listenToGestures(surface, {
      drags: (event) => {
        const { tool: now } = latest.current;
        if (isSpaceDown.value) return "pan";
        if (selectsMany(event)) return "band";
        return now === "pan" ? "pan" : isPaint(now) ? "stroke" : "box";
      },
      canPan: () => !isFit(stage.view.value, stage.size, stage.frame.value),
      onPan: (by) => stage.pan(by),
      onZoom: (factor, about) => stage.zoom(factor, about),
      onHover: (at, event) => {
        const { tool: now } = latest.current;
        pointing.hover.value = at && isPaint(now) ? stage.toPicture(at) : null;
        latest.current.onHover(at && keyAt(at));
        if (now === "pan" || isPaint(now) || event === undefined) return;
        if (at === null) latest.current.onAim?.(null);
        else pointing.aim(at, toolWith(event, now));
      },
      onClick: (at, event) => {
        const { tool: now, onHover, onSelectMany } = latest.current;
        if (selectsMany(event)) {
          const key = keyAt(at);
          return key === null ? undefined : onSelectMany?.([key]);
        }
        if (now !== "pan") return pointing.click(at, isPaint(now) ? "point" : toolWith(event, now));
        // A finger can't hover: a tap points.
        onHover(keyAt(at));
      },
      onDoubleClick: (at) => {
        if (latest.current.tool !== "pan" || keyAt(at) !== null) return;
        if (isFit(stage.view.value, stage.size, stage.frame.value)) stage.zoom(DOUBLE_CLICK_ZOOM, at);
        else stage.fit();
      },
      onBoxing: (box) => pointing.drag(box),
      onBox: (from, to) => pointing.drop(from, to),
      onBand: (from, to) => pointing.enclose(from, to),
    });
    return () => {
      ignore();
      detach();
    };
  }, [stage]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== element.current || latest.current.leaves?.(event.key)) return;
    const command = commandOf(event, tool);
    if (event.key === " ") isSpaceDown.value = true;
    else if (command === null) return;
    else obey(command, stage, pointing);
    event.preventDefault();
    const { crosshair } = pointing;
    if (crosshair.value) latest.current.onHover(stage.maskStore.topmostAt(crosshair.value));
    if (tool !== "pan" && !isPaint(tool)) pointing.aim(null, toolWith(event, tool));
  };

  return (
    <div class="viewer">
      <div
        ref={element}
        class={`viewer-surface ${tool === "pan" || isSpaceDown.value ? "panning" : "pointing"}`}
        role="application"
        aria-roledescription="picture"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onKeyUp={({ key }) => {
          if (key === " ") isSpaceDown.value = false;
        }}
        onBlur={() => {
          isSpaceDown.value = false;
          pointing.boxing.value = pointing.crosshair.value = pointing.stroke.value = null;
        }}
      >
        <canvas ref={canvas} class="viewer-canvas" role="img" aria-label={label} />
        {names.size > 0 && <MaskNames stage={stage} names={names} marked={marked} />}
        <RegionMarks
          view={stage.view}
          pendingRegions={pendingRegions}
          boxing={pointing.boxing}
          crosshair={pointing.crosshair}
          stroke={pointing.stroke}
          hover={pointing.hover}
          brush={isPaint(tool) ? brush : null}
        />
        <p class="unseen" aria-live="polite">
          {announced}
        </p>
      </div>
      <ZoomControls stage={stage} />
      <Damage count={stage.maskStore.damaged.value.size} />
    </div>
  );
}

/** Says that masks are missing, if there are any. */
function Damage({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <p class="viewer-notice" role="status">
      {count === 1 ? "A mask" : `${count} masks`} can’t be read and {count === 1 ? "is" : "are"} not shown.
      Reload the page to fetch {count === 1 ? "it" : "them"} again.
    </p>
  );
}

function obey(command: Command, stage: Stage, pointing: Pointing): void {
  switch (command.type) {
    case "pan":
      return stage.pan({ x: command.by.x * PAN_STEP, y: command.by.y * PAN_STEP });
    case "zoom":
      return stage.zoom(command.factor);
    case "fit":
      return stage.fit();
    case "full":
      return stage.zoomToFull();
    case "crosshair":
      return pointing.move(command.by);
    case "place":
      return pointing.place(command.tool);
    case "dab":
      return pointing.dab();
    case "corner":
      return pointing.corner();
    case "leave":
      return pointing.leave();
  }
}

/** Describes the position of the crosshair and the mask there. */
function describe(at: Point | null, stage: Stage, nameOf: (key: string) => string): string {
  if (at === null) return "";
  const key = stage.maskStore.topmostAt(at);
  return `${at.x}, ${at.y}: ${key === null ? "no mask" : nameOf(key)}`;
}

const wholePixel = ({ x, y }: Point): Point => ({ x: Math.floor(x), y: Math.floor(y) });

/** Buttons for those who have neither wheel nor two fingers, and the zoom in percent. */
function ZoomControls({ stage }: { readonly stage: Stage }) {
  const percent = useComputed(() => `${Math.round(stage.view.value.scale * 100)}%`);
  // People who speak to their browser use the visible words.
  const label = useComputed(() => `${percent.value}, fit to frame`);
  return (
    <div class="viewer-zoom" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={() => stage.zoom(1 / ZOOM_STEP)}>
        −
      </button>
      <button type="button" aria-label={label} title="Fit (0)" onClick={() => stage.fit()}>
        {percent}
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => stage.zoom(ZOOM_STEP)}>
        +
      </button>
    </div>
  );
}
