/** Finds the content of a box that looks unlike the box's surroundings. */
import type { Corners, RegionPoint, Size } from "@segmentation/masks";
import { cosine } from "../models/arithmetic.ts";
import type { PictureAppearance } from "../models/model.ts";
import { cellsWithin } from "./memory.ts";
import { sumAround, windowAbout } from "./parts.ts";

/** The share of the box's cells that count as distinct. */
const SHARE = 0.15;

const MOST_POINTS = 4;

/** The least distance between two points, in cells. */
const APART_CELLS = 5;

/** The most surrounding cells in the comparison of a cell. */
const MOST_COMPARED = 256;

/**
 * Points on the content of a box that looks least like its surroundings, the most unlike first, in pixels of the
 * picture; none if the box has no surroundings. A cell's likeness is its highest cosine with a cell around the box.
 * @param frame the picture's size, in whose pixels the box is
 */
export function standingOut(box: Corners, picture: PictureAppearance, frame: Size): RegionPoint[] {
  const { width, height, channels, appearance } = picture;
  const window = windowAbout(box, frame, picture);
  const ownDescriptor = (cell: number) => appearance.subarray(cell * channels, (cell + 1) * channels);
  const columnOf = (cell: number): number => cell % width;
  const rowOf = (cell: number): number => Math.floor(cell / width);
  const cells = Map.groupBy(cellsWithin(window), (cell) => window[cell] === 1);
  const [within, around] = [cells.get(true) ?? [], cells.get(false) ?? []];
  const step = Math.ceil(around.length / MOST_COMPARED);
  const compared = around.filter((_, at) => at % step === 0).map(ownDescriptor);
  if (compared.length === 0) return [];
  const unlike = new Float32Array(window.length);
  for (const cell of within) {
    const descriptor = ownDescriptor(cell);
    unlike[cell] = 1 - Math.max(...compared.map((other) => cosine(descriptor, other)));
  }
  // Summed with the cells around, so that no point is at a border.
  const sums = unlike.map((_, cell) => sumAround(unlike, columnOf(cell), rowOf(cell), picture));
  const points: number[] = [];
  for (const cell of within
    .toSorted((a, b) => more(sums, a, b) || more(unlike, a, b))
    .slice(0, Math.ceil(SHARE * within.length))) {
    const isApart = points.every(
      (other) => Math.hypot(columnOf(cell) - columnOf(other), rowOf(cell) - rowOf(other)) > APART_CELLS,
    );
    if (points.length < MOST_POINTS && isApart) points.push(cell);
  }
  return points.map((cell) => ({
    x: ((columnOf(cell) + 0.5) * frame.width) / width,
    y: ((rowOf(cell) + 0.5) * frame.height) / height,
    label: 1,
  }));
}

/** Sorts cells by their values, the highest first. */
const more = (values: Float32Array, a: number, b: number): number => (values[b] ?? 0) - (values[a] ?? 0);
