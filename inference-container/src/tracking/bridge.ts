/** Bridges gaps in tracks: an object that the detector misses for a moment is drawn where it is expected, if it is there. */
import { type Box, clipBox } from "../models/box.ts";
import { gridArea, gridBounds, gridIou, gridMoved, gridOverlap } from "../models/mask-shape.ts";
import type { DrawnRegion, Instance, LogitGrid } from "../models/model.ts";
import { cosine } from "../models/arithmetic.ts";
import type { Size } from "../size.ts";
import type { Gap } from "./tracker.ts";

/** How long after its last detection an object is drawn without one. */
export const LONGEST_BRIDGE_SECONDS = 1;

/** Times of frames are rounded: one that is just a second later counts. */
const TOLERANCE_SECONDS = 0.02;

/** A single detection may be an error, and is not prolonged. */
const LEAST_DETECTIONS = 2;

/** The share of its expected box that must lie in the picture: an object that leaves is not held back. */
const LEAST_INSIDE = 0.5;

/** The limits within which a drawn mask is the object, and not something behind or before it. */
const ACCEPTED = {
  /** The decoder's own estimate of the IoU. */
  quality: 0.6,
  /** The IoU with the last mask, moved to where it is expected. */
  overlap: 0.5,
  /** The area by that of the last mask, and by that of the last one detected: an object that shrinks is being hidden. */
  growth: [0.6, 1.7],
  growthSinceDetected: [0.5, 2],
  /** The cosine between its appearance and the object's. */
  likeness: 0.9,
  /** The share of it that another object of the frame has. */
  taken: 0.3,
} as const;

/** An object as it was last seen. */
export interface Known {
  /** Of the last detection. */
  readonly score: number;
  readonly detectedAt: number;
  readonly detectedArea: number;
  readonly detections: number;
  readonly appearance: Float32Array;
  /** Of the last frame in which it was seen or drawn. */
  readonly mask: LogitGrid;
}

/** An object to be drawn where it is expected. */
export interface Attempt {
  readonly gap: Gap;
  readonly known: Known;
  readonly region: { readonly box: Box; readonly prior: LogitGrid };
}

export class Bridges {
  readonly #frame: Size;
  readonly #known = new Map<number, Known>();

  /** @param frame the size of the frames in pixels */
  constructor(frame: Size) {
    this.#frame = frame;
  }

  /** Remembers a detected object. */
  detected(id: number, timeSec: number, { score, mask, appearance }: Instance): void {
    if (appearance === undefined) return;
    const detections = (this.#known.get(id)?.detections ?? 0) + 1;
    const detectedArea = gridArea(mask);
    this.#known.set(id, { score, detectedAt: timeSec, detectedArea, detections, appearance, mask });
  }

  /** What to draw in the frame at `timeSec`. Objects that were not detected for too long are forgotten. */
  attempts(timeSec: number, gaps: readonly Gap[]): Attempt[] {
    for (const [id, { detectedAt }] of this.#known)
      if (timeSec - detectedAt > LONGEST_BRIDGE_SECONDS + TOLERANCE_SECONDS) this.#known.delete(id);
    return gaps.flatMap((gap) => {
      const known = this.#known.get(gap.id);
      const box = clipBox(gap.box, this.#frame.width, this.#frame.height);
      if (known === undefined || box === undefined || known.detections < LEAST_DETECTIONS) return [];
      if (areaOf(box) < LEAST_INSIDE * areaOf(gap.box)) return [];
      return [{ gap, known, region: { box, prior: gridMoved(known.mask, this.#frame, gap.moved) } }];
    });
  }

  /**
   * The object as drawn, and its box; undefined if the drawing is not the object.
   * @param others the masks of the frame's other objects of the same prompt
   */
  accept(
    { gap, known, region }: Attempt,
    drawn: DrawnRegion,
    others: readonly LogitGrid[],
  ): { known: Known; box: Box } | undefined {
    const { mask } = drawn;
    const box = gridBounds(mask, this.#frame);
    if (box === undefined || !isSame(known, region.prior, drawn, others)) return undefined;
    const seen = { ...known, mask };
    this.#known.set(gap.id, seen);
    return { known: seen, box };
  }
}

function isSame(known: Known, prior: LogitGrid, drawn: DrawnRegion, others: readonly LogitGrid[]): boolean {
  const { mask, quality, appearance } = drawn;
  const area = gridArea(mask);
  return (
    quality >= ACCEPTED.quality &&
    gridIou(mask, prior) >= ACCEPTED.overlap &&
    isWithin(area / gridArea(prior), ACCEPTED.growth) &&
    isWithin(area / known.detectedArea, ACCEPTED.growthSinceDetected) &&
    appearance !== undefined &&
    cosine(appearance, known.appearance) >= ACCEPTED.likeness &&
    others.every((other) => gridOverlap(mask, other) <= ACCEPTED.taken * area)
  );
}

const isWithin = (value: number, [least, most]: readonly [number, number]): boolean =>
  value >= least && value <= most;

const areaOf = ([x1, y1, x2, y2]: Box): number => (x2 - x1) * (y2 - y1);
