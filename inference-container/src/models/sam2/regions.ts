/** Divides regions into runs of SAM 2's decoder. */
import { clicksOf, type LogitGrid, type Region, type Size } from "@segmentation/masks";

/**
 * Divides regions, by their indices, into runs of the decoder: at most `size` per run, all with the same number of
 * clicks, and either all or none with a prior. Clicks that only fill a row would change the mask.
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

/**
 * Regions to warm the decoder up with, run by run: up to `size` boxes, without priors as in pictures and with them as
 * in videos, and one click. Two clicks have a box's shape.
 * @param prior any mask of the decoder
 */
export function warmUpRuns(size: number, { width, height }: Size, prior: LogitGrid): Region[][] {
  const box = [0, 0, width, height] as const;
  const point = { x: width / 2, y: height / 2, label: 1 } as const;
  const counts = Array.from({ length: size }, (_, i) => i + 1);
  return [
    ...counts.map((count) => Array.from({ length: count }, () => ({ box }))),
    ...counts.map((count) => Array.from({ length: count }, () => ({ box, prior }))),
    [{ points: [point] }],
  ];
}
