import type { Box } from "@segmentation/masks";
import type { ReadonlySignal } from "@preact/signals";
import type { Point, Region } from "../types.ts";
import { toFrame, type View } from "../view/view.ts";
import { middleOf } from "./pointing.ts";

/** Marks above the picture; all in pixels of the picture. */
interface Marks {
  readonly view: ReadonlySignal<View>;
  readonly pendingRegions: readonly Region[];
  /** The box that is being drawn. */
  readonly boxing: ReadonlySignal<readonly [Point, Point] | null>;
  /** The pixel that the keyboard points at. */
  readonly crosshair: ReadonlySignal<Point | null>;
  /** The stroke that is being painted: x, y, x, y, … */
  readonly stroke: ReadonlySignal<readonly number[] | null>;
  /** Pointer's position, while it may paint. */
  readonly hover: ReadonlySignal<Point | null>;
  /** Brush or eraser; null without one. */
  readonly brush: Brush | null;
}

/** A brush or an eraser. */
export interface Brush {
  /** In pixels of the picture. */
  readonly radius: number;
  /** As CSS writes it: of the object that is painted; an eraser has none. */
  readonly colour: string | null;
}

/** Marks of pending regions, of the box or stroke that is being drawn, and of the crosshair. Lines keep their width at each zoom. */
export function RegionMarks({ view, pendingRegions, boxing, crosshair, stroke, hover, brush }: Marks) {
  const tip = brush === null ? null : (crosshair.value ?? hover.value);
  // Without marks, a new view draws nothing here.
  if (
    pendingRegions.length === 0 &&
    boxing.value === null &&
    crosshair.value === null &&
    tip === null &&
    stroke.value === null
  )
    return null;
  const place = (at: Point): Point => toFrame(view.value, at);
  return (
    <svg class="viewer-marks" aria-hidden="true">
      {pendingRegions.map((region, i) => (
        <g key={i} class={i === pendingRegions.length - 1 ? "viewer-region latest" : "viewer-region"}>
          {"box" in region ? (
            <Box from={place({ x: region.box[0], y: region.box[1] })} to={place(farCorner(region.box))} />
          ) : (
            region.points.map((point, j) => (
              <Spot key={j} at={place(middleOf(point))} isOn={point.label === 1} />
            ))
          )}
        </g>
      ))}
      {brush !== null && stroke.value !== null && (
        <path
          class="viewer-stroke"
          d={lineOf(stroke.value, place)}
          stroke={brush.colour ?? "#fff"}
          stroke-width={2 * brush.radius * view.value.scale}
        />
      )}
      {brush !== null && tip !== null && (
        <Tip at={place(middleOf(tip))} radius={brush.radius * view.value.scale} />
      )}
      {boxing.value && <Box from={place(boxing.value[0])} to={place(boxing.value[1])} />}
      {crosshair.value && <Crosshair at={place(middleOf(crosshair.value))} />}
    </svg>
  );
}

const farCorner = ([x, y, width, height]: Box): Point => ({
  x: x + width,
  y: y + height,
});

function Box({ from, to }: { readonly from: Point; readonly to: Point }) {
  const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
  const rect = { x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
  return (
    <>
      <rect class="viewer-box casing" {...rect} />
      <rect class="viewer-box" {...rect} />
    </>
  );
}

function Spot({ at, isOn }: { readonly at: Point; readonly isOn: boolean }) {
  return (
    <g class={isOn ? "viewer-spot on" : "viewer-spot off"} transform={`translate(${at.x} ${at.y})`}>
      <circle r="8" />
      <path d={isOn ? "M-4 0H4M0-4V4" : "M-4 0H4"} />
    </g>
  );
}

/** A stroke as the path of an SVG. */
function lineOf(points: readonly number[], place: (at: Point) => Point): string {
  const steps: string[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const { x, y } = place({ x: points[i] ?? 0, y: points[i + 1] ?? 0 });
    steps.push(`${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`);
  }
  // A line of no length has its round end nevertheless.
  return steps.length === 1 ? `${steps.join("")}h0` : steps.join("");
}

/** Outline of the brush at the pointer. */
const Tip = ({ at, radius }: { readonly at: Point; readonly radius: number }) => (
  <g class="viewer-tip" transform={`translate(${at.x} ${at.y})`}>
    <circle class="casing" r={radius} />
    <circle r={radius} />
  </g>
);

const CROSSHAIR = "M-14 0H-4M4 0H14M0-14V-4M0 4V14";

function Crosshair({ at }: { readonly at: Point }) {
  return (
    <g class="viewer-crosshair" transform={`translate(${at.x} ${at.y})`}>
      <path class="casing" d={CROSSHAIR} />
      <path d={CROSSHAIR} />
    </g>
  );
}
