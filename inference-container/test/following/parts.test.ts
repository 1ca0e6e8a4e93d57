import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCut } from "../../src/following/cut.ts";
import { agreementOf, best, descriptorOf, weigh } from "../../src/following/choice.ts";
import { Memory, glimpse, type Remembered } from "../../src/following/memory.ts";
import { LEAST_VOTES, partsOf, windowAbout } from "../../src/following/parts.ts";
import { standingOut } from "../../src/following/standing-out.ts";

const GRID = { width: 16, height: 12 };
const FRAME = { width: 320, height: 240 };
const CELLS = GRID.width * GRID.height;

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: CELLS, maxLength: CELLS });
const boxes = fc
  .tuple(fc.integer({ min: 0, max: 280 }), fc.integer({ min: 0, max: 200 }), fc.integer({ min: 5, max: 40 }))
  .map(([x, y, side]) => [x, y, x + side, y + side] as const);

describe("a window about a box", () => {
  test("counts votes within the box in full, around it less, and far away not at all", () => {
    fc.assert(
      fc.property(boxes, (box) => {
        const window = windowAbout(box, FRAME, GRID);
        for (const [cell, weight] of window.entries()) {
          const [x, y] = [((cell % GRID.width) + 0.5) * 20, (Math.floor(cell / GRID.width) + 0.5) * 20];
          const isInside = x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
          expect(weight).toBeGreaterThanOrEqual(0);
          expect(weight).toBeLessThanOrEqual(1);
          if (isInside) expect(weight).toBe(1);
          const reach = Math.max(box[2] - box[0], 40);
          const isFar = Math.max(box[0] - x, x - box[2], box[1] - y, y - box[3]) > reach;
          if (isFar) expect(weight).toBe(0);
        }
      }),
    );
  });
});

describe("the parts that stand out in a box", () => {
  /** A picture of two colors: those of a thing of some cells, and of everything else. */
  const pictureOf = (isThing: (column: number, row: number) => boolean) => {
    const cells = Array.from({ length: CELLS }, (_, cell) =>
      isThing(cell % GRID.width, Math.floor(cell / GRID.width)),
    );
    return {
      ...GRID,
      channels: 2,
      appearance: Float32Array.from(cells.flatMap((thing) => (thing ? [1, 0] : [0, 1]))),
    };
  };
  const BOX = [60, 60, 260, 180] as const;

  test("are unlike the surroundings: the first of at most four points lies on one", () => {
    const things = fc.record({
      column: fc.integer({ min: 3, max: 10 }),
      row: fc.integer({ min: 3, max: 6 }),
      width: fc.integer({ min: 1, max: 3 }),
      height: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(things, (thing) => {
        const isThing = (x: number, y: number): boolean =>
          x >= thing.column &&
          x < thing.column + thing.width &&
          y >= thing.row &&
          y < thing.row + thing.height;
        const points = standingOut(BOX, pictureOf(isThing), FRAME);
        expect(points.length).toBeGreaterThan(0);
        expect(points.length).toBeLessThanOrEqual(4);
        const [first] = points;
        expect(first !== undefined && isThing(Math.floor(first.x / 20), Math.floor(first.y / 20))).toBe(true);
        for (const { x, y } of points)
          expect(x > BOX[0] && y > BOX[1] && x < BOX[2] && y < BOX[3]).toBe(true);
      }),
    );
  });

  test("are none if the box is the whole picture", () => {
    expect(
      standingOut(
        [0, 0, FRAME.width, FRAME.height],
        pictureOf(() => false),
        FRAME,
      ),
    ).toEqual([]);
  });
});

describe("the parts of votes", () => {
  test("share out the cells that have enough of them, the heaviest first, each around its peak", () => {
    fc.assert(
      fc.property(shares, (values) => {
        const votes = Float32Array.from(values);
        const parts = partsOf(votes, GRID, FRAME);
        const cells = parts.flatMap((part) => part.cells);
        expect(cells.toSorted((a, b) => a - b)).toEqual(
          [...votes.keys()].filter((cell) => (votes[cell] ?? 0) >= LEAST_VOTES),
        );
        const weights = parts.map(({ weight }) => weight);
        expect(weights).toEqual(weights.toSorted((a, b) => b - a));
        for (const { box, peak } of parts) {
          expect(peak.x > box[0] && peak.x < box[2] && peak.y > box[1] && peak.y < box[3]).toBe(true);
        }
      }),
    );
  });
});

describe("the memory of an object", () => {
  const remembered = (timeSec: number, sureness: number): Remembered => ({
    timeSec,
    sureness,
    known: { channels: 1, appearance: Float32Array.of(timeSec), inside: Float32Array.of(sureness) },
  });

  test("never grows with the video, and always has the pointed frame and the last one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 }),
        (sureness) => {
          const memory = new Memory(remembered(0, 1));
          for (const [at, sure] of sureness.entries()) memory.add(remembered((at + 1) / 6, sure));
          const times = memory.frames.map(({ timeSec }) => timeSec);
          expect(times.length).toBeLessThanOrEqual(5);
          expect([times.at(0), times.at(-1)]).toEqual([0, sureness.length / 6]);
          expect(memory.known.inside).toHaveLength(times.length);
        },
      ),
    );
  });

  test("keeps the surest of what it saw, not the latest", () => {
    const memory = new Memory(remembered(0, 1));
    for (const [time, sure] of [0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.2].entries())
      memory.add(remembered(time, sure));
    expect(memory.frames.map(({ sureness }) => sureness)).toEqual([1, 0.9, 0.8, 0.7, 0.2]);
  });

  test("of a frame keeps at most 1,024 cells, spread over the window", () => {
    const appearance = { channels: 2, width: 64, height: 64, appearance: new Float32Array(64 * 64 * 2) };
    const inside = Float32Array.from({ length: 4_096 }, (_, cell) => (cell < 2_048 ? 1 : 0));
    const known = glimpse(appearance, new Float32Array(4_096).fill(1), inside);
    expect(known.inside).toHaveLength(1_024);
    expect(known.appearance).toHaveLength(2_048);
    expect(known.inside.reduce((sum, share) => sum + share, 0)).toBe(512);
  });
});

describe("the choice of a mask", () => {
  test("the agreement with votes is 1 for an exact match, and symmetric", () => {
    fc.assert(
      fc.property(shares, shares, (a, b) => {
        const [one, other] = [Float32Array.from(a), Float32Array.from(b)];
        expect(agreementOf(one, other)).toBe(agreementOf(other, one));
        expect(agreementOf(one, other)).toBeLessThanOrEqual(1);
        if (one.some((share) => share > 0)) expect(agreementOf(one, one)).toBe(1);
      }),
    );
  });

  const mask = (from: number, to: number) => ({
    width: 4,
    height: 4,
    logits: Float32Array.from({ length: 16 }, (_, cell) => (cell >= from && cell < to ? 1 : -1)),
  });
  // The upper half looks like one thing, the lower half like another.
  const picture = {
    channels: 2,
    width: 4,
    height: 4,
    appearance: Float32Array.from({ length: 32 }, (_, at) => (at < 16 === (at % 2 === 0) ? 1 : 0)),
  };
  const votes = Float32Array.from({ length: 16 }, (_, cell) => (cell < 8 ? 1 : 0));
  const descriptor = descriptorOf(picture, votes);
  const weighed = (from: number, to: number, quality = 0.9) =>
    weigh({ mask: mask(from, to), quality }, picture, { appearance: [descriptor], area: 8, votes });

  test("a part like the object in look, place and size keeps its full quality", () => {
    expect(weighed(0, 8).value).toBeCloseTo(0.9, 6);
  });

  test.for([
    ["a part of it", 0, 4],
    ["it and more", 0, 12],
    ["something else", 8, 16],
    ["nothing", 0, 0],
  ] as const)("%s is worth less, though the decoder likes it better", ([, from, to]) => {
    const [it, other] = [weighed(0, 8, 0.8), weighed(from, to, 1)];
    expect(other.value).toBeLessThan(it.value);
    expect(best([other, it])).toBe(it);
  });

  test("no mask of zero worth is chosen", () => {
    expect(best([weighed(8, 16)])).toBeUndefined();
  });
});

describe("a cut", () => {
  const axis = (at: number): number[] => Array.from({ length: 16 }, (_, i) => (i === at % 16 ? 1 : 0));
  /** Stripes four cells wide, or noise that no shift explains. */
  const appearance = (of: (x: number, y: number) => number) => ({
    channels: 16,
    width: 32,
    height: 32,
    appearance: Float32Array.from(
      Array.from({ length: 1_024 }, (_, cell) => axis(of(cell % 32, Math.floor(cell / 32)))).flat(),
    ),
  });

  test("is not a fast pan", () => {
    const scene = (turned: number) => appearance((x) => Math.floor((x + turned) / 12));
    for (const turned of [0, 4, 8, 12]) expect(isCut(scene(0), scene(turned))).toBe(false);
  });

  test("is not a fast approach that leaves no cell in its place", () => {
    const scene = (x: number, y: number) => ((x * 73) ^ (y * 151) ^ (x * y * 31)) >> 3;
    const nearer = appearance((x, y) => scene(8 + Math.floor(x / 2), 8 + Math.floor(y / 2)));
    expect(isCut(appearance(scene), nearer)).toBe(false);
  });

  test("is another scene", () => {
    expect(
      isCut(
        appearance(() => 0),
        appearance(() => 1),
      ),
    ).toBe(true);
    expect(
      isCut(
        appearance((_, y) => (y < 16 ? 0 : 1)),
        appearance((_, y) => (y < 16 ? 2 : 3)),
      ),
    ).toBe(true);
  });
});
