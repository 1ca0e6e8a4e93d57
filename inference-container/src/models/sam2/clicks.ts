/** Regions as SAM 2's prompt encoder takes them: points with labels. */
import type { RegionPoint } from "@segmentation/protocol";
import type { Region } from "../model.ts";

/** A point in picture pixels, with one of SAM's labels: 0 beside the object, 1 on it, 2 and 3 a box's corners. */
interface Click extends Pick<RegionPoint, "x" | "y"> {
  readonly label: RegionPoint["label"] | typeof TOP_LEFT | typeof BOTTOM_RIGHT;
}

const TOP_LEFT = 2;
const BOTTOM_RIGHT = 3;

/** The clicks that stand for a region. */
export function clicksOf(region: Region): readonly Click[] {
  if ("points" in region) return region.points;
  const [x1, y1, x2, y2] = region.box;
  return [
    { x: x1, y: y1, label: TOP_LEFT },
    { x: x2, y: y2, label: BOTTOM_RIGHT },
  ];
}

/**
 * Which regions go into which run of the decoder, by their indices: at most `size` to a run, all with as many clicks, and
 * with or without a prior. Clicks that only fill a row up would change what is drawn.
 */
export function runsOf(regions: readonly Region[], size: number): number[][] {
  const alike = Map.groupBy(regions.keys(), (index) => {
    const region = regions[index];
    return region === undefined ? "" : `${clicksOf(region).length} ${region.prior !== undefined}`;
  });
  return [...alike.values()].flatMap((indices) =>
    Array.from({ length: Math.ceil(indices.length / size) }, (_, run) =>
      indices.slice(run * size, (run + 1) * size),
    ),
  );
}
