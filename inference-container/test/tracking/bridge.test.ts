import { describe, expect, test } from "vitest";
import type { Box } from "../../src/models/box.ts";
import type { DrawnRegion, Instance, LogitGrid } from "../../src/models/model.ts";
import { Bridges } from "../../src/tracking/bridge.ts";
import type { Gap } from "../../src/tracking/tracker.ts";

/** A grid cell is ten pixels wide and high. */
const GRID = 64;
const FRAME = { width: 640, height: 640 };
const CAT = Float32Array.of(1, 0);
const WALL = Float32Array.of(0.6, 0.8);

/** A mask that fills a box, given in pixels. */
function filled([x1, y1, x2, y2]: Box): LogitGrid {
  const logits = Float32Array.from({ length: GRID * GRID }, (_, cell) => {
    const [x, y] = [10 * (cell % GRID) + 5, 10 * Math.floor(cell / GRID) + 5];
    return x > x1 && x < x2 && y > y1 && y < y2 ? 5 : -5;
  });
  return { width: GRID, height: GRID, logits };
}

const HERE: Box = [100, 100, 200, 300];
const STEP = 20;
const NEXT: Box = [100 + STEP, 100, 200 + STEP, 300];
const gap: Gap = { id: 1, promptIndex: 0, box: NEXT, moved: [STEP, 0] };

function instance(box: Box = HERE): Instance {
  return { promptIndex: 0, score: 0.7, box, mask: filled(box), faint: false, appearance: CAT };
}

/** The memory of an object that was detected at these times. */
function detectedAt(...times: readonly number[]): Bridges {
  const bridges = new Bridges(FRAME);
  for (const time of times) bridges.detected(1, time, instance());
  return bridges;
}

const drawn = (box: Box = NEXT, changes: Partial<DrawnRegion> = {}): DrawnRegion => ({
  mask: filled(box),
  quality: 0.9,
  appearance: CAT,
  ...changes,
});

/** Whether what was drawn is taken for the object. */
function accepts(region: DrawnRegion, others: readonly Box[] = []): boolean {
  const bridges = detectedAt(0, 0.2);
  const [attempt] = bridges.attempts(0.4, [gap]);
  if (attempt === undefined) throw new Error("There was no attempt.");
  return bridges.accept(attempt, region, others.map(filled)) !== undefined;
}

describe("where an object is drawn that the detector misses", () => {
  test("in the box and with the mask that are expected by its motion", () => {
    const [attempt] = detectedAt(0, 0.2).attempts(0.4, [gap]);
    expect(attempt?.region.box).toEqual(NEXT);
    expect(attempt?.region.prior.logits.map(Math.sign)).toEqual(filled(NEXT).logits.map(Math.sign));
  });

  test("for a second after its last detection, and no longer", () => {
    const bridges = detectedAt(0, 0.2);
    expect(bridges.attempts(1.2, [gap])).toHaveLength(1);
    expect(bridges.attempts(1.3, [gap])).toHaveLength(0);
  });

  test("not if it was detected only once, which may have been an error", () => {
    expect(detectedAt(0.2).attempts(0.4, [gap])).toHaveLength(0);
  });

  test("not if most of its box is beyond the picture's edge", () => {
    const leaving = (x: number): Gap => ({ ...gap, box: [x, 100, x + 100, 300] });
    expect(detectedAt(0, 0.2).attempts(0.4, [leaving(580)])).toHaveLength(1);
    expect(detectedAt(0, 0.2).attempts(0.4, [leaving(600)])).toHaveLength(0);
    expect(detectedAt(0, 0.2).attempts(0.4, [leaving(660)])).toHaveLength(0);
  });

  test("again from where it was drawn last", () => {
    const bridges = detectedAt(0, 0.2);
    const [attempt] = bridges.attempts(0.4, [gap]);
    const found = attempt && bridges.accept(attempt, drawn(), []);
    expect(found).toMatchObject({ box: NEXT, known: { score: 0.7 } });
    const [again] = bridges.attempts(0.6, [{ ...gap, moved: [0, 0] }]);
    expect(again?.region.prior.logits).toEqual(drawn().mask.logits);
  });
});

describe("what is drawn is the object", () => {
  test("if it is where, as large and such as was expected", () => {
    expect(accepts(drawn())).toBe(true);
    expect(accepts(drawn([130, 110, 230, 310]))).toBe(true);
  });

  test("not if the decoder itself thinks little of it", () => {
    expect(accepts(drawn(NEXT, { quality: 0.5 }))).toBe(false);
  });

  test("not if it has jumped", () => {
    expect(accepts(drawn([180, 100, 280, 300]))).toBe(false);
  });

  test("not if it has shrunk or grown wildly", () => {
    expect(accepts(drawn([120, 100, 220, 210]))).toBe(false);
    expect(accepts(drawn([100, 60, 260, 340]))).toBe(false);
    expect(accepts(drawn(NEXT, { mask: filled([0, 0, 1, 1]) }))).toBe(false);
  });

  test("not if it has shrunk step by step: it is being hidden", () => {
    const bridges = detectedAt(0, 0.2);
    const kept = [260, 220, 180, 150].map((bottom, at) => {
      const [attempt] = bridges.attempts(0.4 + at / 5, [{ ...gap, box: HERE, moved: [0, 0] }]);
      return attempt && bridges.accept(attempt, drawn([100, 100, 200, bottom]), []) !== undefined;
    });
    expect(kept).toEqual([true, true, false, false]);
  });

  test("not if it looks like something else, such as what lies behind", () => {
    expect(accepts(drawn(NEXT, { appearance: WALL }))).toBe(false);
  });

  test("not if another object of the frame has its place", () => {
    expect(accepts(drawn(), [[300, 100, 400, 300]])).toBe(true);
    expect(accepts(drawn(), [NEXT])).toBe(false);
    expect(accepts(drawn(), [[170, 100, 270, 300]])).toBe(false);
  });
});
