import type { Corners } from "@segmentation/masks";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Tracker, type TrackerDetection } from "../../src/tracking/tracker.ts";
import { film, type Frame } from "./film.ts";
import { Random } from "./random.ts";
import { SCENES } from "./scenes.ts";
import { isLong } from "../support/form.ts";

function found(box: Corners): TrackerDetection {
  return { promptIndex: 0, score: 0.8, box, faint: false };
}

function faint(box: Corners, promptIndex = 0): TrackerDetection {
  return { promptIndex, score: 0.2, box, faint: true };
}

const HERE: Corners = [100, 100, 200, 300];
const THERE: Corners = [900, 100, 1000, 300];

/** Any detections, equal ones and crowds included, at any times that don't run backwards. */
const side = fc.integer({ min: 1, max: 60 });
const place = fc.integer({ min: 0, max: 200 });
const anyDetection = fc
  .record({
    promptIndex: fc.nat(2),
    score: fc.constant(0.5),
    faint: fc.boolean(),
    at: fc.tuple(place, place, side, side),
  })
  .map(({ at: [x, y, width, height], ...rest }): TrackerDetection => ({
    ...rest,
    box: [x, y, x + width, y + height],
  }));
const anyFrames = fc.array(
  fc.record({
    step: fc.double({ min: 0, max: 2, noNaN: true }),
    detections: fc.array(anyDetection, { maxLength: 12 }),
  }),
  { maxLength: 15 },
);

/** A film of any scene. */
const anyFilm = fc
  .record({
    scene: fc.constantFrom(...Object.values(SCENES)),
    fps: fc.constantFrom(2, 6, 15),
    seed: fc.nat(),
  })
  .map(({ scene, fps, seed }) => {
    const random = new Random(seed);
    return film(scene(random), fps, random);
  });

type Ids = (number | undefined)[];

function idsOf(frames: readonly Frame[]): Ids[] {
  const tracker = new Tracker();
  return frames.map(({ timeSec, detections }) => tracker.update(timeSec, detections));
}

/** The same ids, renamed by first appearance in this order. */
function renamed(frames: readonly Ids[]): Ids[] {
  const names = new Map<number, number>();
  return frames.map((ids) =>
    ids.map((id) => {
      if (id === undefined) return undefined;
      const name = names.get(id) ?? names.size + 1;
      names.set(id, name);
      return name;
    }),
  );
}

test("for any input, each detection that isn't faint has an id, unique in its frame, and new ids count up from 1", () => {
  fc.assert(
    fc.property(anyFrames, (frames) => {
      const tracker = new Tracker({ maxTracks: 8 });
      const promptOf = new Map<number, number>();
      let time = 0;
      for (const { step, detections } of frames) {
        time += step;
        const live = tracker.hasLiveTracks;
        const ids = tracker.update(time, detections);
        const given = ids.filter((id) => id !== undefined);
        expect(ids.length).toBe(detections.length);
        expect(new Set(given).size).toBe(given.length);
        for (const [i, { promptIndex, faint: isFaint }] of detections.entries()) {
          const id = ids[i];
          if (id === undefined) {
            expect(isFaint).toBe(true);
            continue;
          }
          if (!promptOf.has(id)) {
            expect(isFaint).toBe(false);
            expect(id).toBe(promptOf.size + 1);
            promptOf.set(id, promptIndex);
          }
          if (isFaint) expect(live).toBe(true);
          expect(promptOf.get(id)).toBe(promptIndex);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("the same frames have the same ids", () => {
  fc.assert(
    fc.property(anyFilm, (frames) => {
      expect(idsOf(frames)).toEqual(idsOf(frames));
    }),
  );
});

test("the order of a frame's detections only permutes the ids", () => {
  fc.assert(
    fc.property(anyFilm, (frames) => {
      const backwards = frames.map((frame) => ({ ...frame, detections: frame.detections.toReversed() }));
      const ids = idsOf(backwards).map((frame) => frame.toReversed());
      expect(renamed(ids)).toEqual(renamed(idsOf(frames)));
    }),
  );
});

test("neither position nor size of the picture nor the video's start changes an id", () => {
  const shift = fc.integer({ min: -4000, max: 4000 });
  const scale = fc.constantFrom(0.25, 0.5, 2, 3);
  fc.assert(
    fc.property(anyFilm, shift, shift, scale, fc.nat(1000), (frames, dx, dy, zoom, start) => {
      const moved = frames.map(({ timeSec, detections }) => ({
        timeSec: timeSec + start,
        detections: detections.map(({ box: [x1, y1, x2, y2], ...rest }) => ({
          ...rest,
          box: [zoom * x1 + dx, zoom * y1 + dy, zoom * x2 + dx, zoom * y2 + dy] as const,
        })),
      }));
      expect(idsOf(moved)).toEqual(idsOf(frames));
    }),
  );
});

test("a prompt's objects are tracked as if there were no other prompt", () => {
  fc.assert(
    fc.property(anyFilm, anyFilm, (first, second) => {
      const length = Math.min(first.length, second.length);
      const both = first.slice(0, length).map(({ timeSec, detections }, i) => ({
        timeSec,
        detections: [
          ...detections,
          ...(second[i]?.detections ?? []).map((detection) => ({ ...detection, promptIndex: 1 })),
        ],
      }));
      const alone = first.slice(0, length);
      const ids = idsOf(both).map((frame, i) => frame.slice(0, alone[i]?.detections.length));
      expect(renamed(ids)).toEqual(renamed(idsOf(alone)));
    }),
  );
});

test("a faint detection continues an object, and starts none", () => {
  const tracker = new Tracker();
  expect(tracker.hasLiveTracks).toBe(false);
  expect(tracker.update(0, [faint(HERE)])).toEqual([undefined]);
  expect(tracker.hasLiveTracks).toBe(false);
  expect(tracker.update(0.2, [found(HERE)])).toEqual([1]);
  expect(tracker.hasLiveTracks).toBe(true);
  expect(tracker.update(0.4, [faint(THERE), faint(HERE), faint(HERE, 1)])).toEqual([undefined, 1, undefined]);
});

test("a detection that isn't faint is first to continue an object", () => {
  const tracker = new Tracker();
  tracker.update(0, [found(HERE)]);
  expect(tracker.update(0.2, [faint(HERE), found([110, 100, 210, 300])])).toEqual([undefined, 1]);
});

test("of two objects in one place, a detection continues the one that wasn't hidden just before", () => {
  const tracker = new Tracker();
  tracker.update(0, [found(HERE), found([110, 100, 210, 300])]);
  tracker.update(0.2, [found(HERE)]);
  expect(tracker.update(0.4, [found([106, 100, 206, 300])])).toEqual([1]);
});

test("an object keeps its id while it is unseen for up to the longest gap, and no longer", () => {
  for (const [seconds, id] of [
    [2, 1],
    [2.01, 2],
  ] as const) {
    const tracker = new Tracker({ maxGapSeconds: 2 });
    tracker.update(10, [found(HERE)]);
    tracker.update(10.5, []);
    tracker.update(11, []);
    expect(tracker.update(10 + seconds, [found(HERE)])).toEqual([id]);
  }
  const tracker = new Tracker({ maxGapSeconds: 2 });
  tracker.update(10, [found(HERE)]);
  tracker.update(12, []);
  expect(tracker.hasLiveTracks).toBe(true);
  tracker.update(12.1, []);
  tracker.update(12.2, []);
  expect(tracker.hasLiveTracks).toBe(false);
});

test.for([3.2, 10, 600])(
  "an object that stays keeps its id in frames %d seconds apart, and may miss one",
  (step) => {
    const tracker = new Tracker();
    const ids = [1, 1, 0, 1, 1, 0, 1].map((seen, n) =>
      tracker.update(n * step, seen === 1 ? [found(HERE)] : []),
    );
    expect(ids).toEqual([[1], [1], [], [1], [1], [], [1]]);
  },
);

test("beyond the most tracks those unseen for longest are forgotten", () => {
  const tracker = new Tracker({ maxTracks: 2 });
  tracker.update(0, [found(HERE)]);
  tracker.update(0.2, [found(THERE)]);
  tracker.update(0.4, [found([100, 700, 200, 900])]);
  expect(tracker.update(0.6, [found(THERE), found(HERE)])).toEqual([2, 4]);
});

test.runIf(isLong)("each of 800 objects that stay keeps its id, though half of them miss a frame", () => {
  const tracker = new Tracker();
  const crowd = Array.from({ length: 800 }, (_, i) => {
    const [x, y] = [(i % 40) * 48, Math.floor(i / 40) * 54];
    return found([x, y, x + 24, y + 36]);
  });
  const ids = crowd.map((_, i) => i + 1);
  for (const time of [0, 1, 2]) expect(tracker.update(time / 6, crowd)).toEqual(ids);
  const half = crowd.slice(0, 400);
  expect(tracker.update(3 / 6, half)).toEqual(ids.slice(0, 400));
  expect(tracker.gaps()).toHaveLength(400);
  expect(tracker.update(4 / 6, crowd)).toEqual(ids);
});

test("an object that shrinks to a sliver at the picture's edge and comes back keeps its id", () => {
  const tracker = new Tracker();
  const lefts = [1500, 1600, 1700, 1800, 1890, 1910, 1915, 1890, 1800, 1700, 1600];
  const ids = lefts.map((x, i) => tracker.update(i / 6, [found([x, 300, Math.min(x + 150, 1920), 600])]));
  expect(ids.flat()).toEqual(lefts.map(() => 1));
});

test("a frame before the last one is refused", () => {
  const tracker = new Tracker();
  tracker.update(1, []);
  expect(tracker.update(1, [found(HERE)])).toEqual([1]);
  expect(() => tracker.update(0.9, [])).toThrow(RangeError);
  expect(() => tracker.update(Number.NaN, [])).toThrow(RangeError);
});

test("an object seen in the previous frame but not detected now is a gap at its expected place", () => {
  const tracker = new Tracker();
  for (const time of [0, 1, 2])
    tracker.update(time / 6, [found([100 + 20 * time, 100, 200 + 20 * time, 300]), found(THERE)]);
  expect(tracker.gaps()).toEqual([]);
  tracker.update(0.5, [found(THERE)]);
  const [gap, ...others] = tracker.gaps();
  expect(others).toEqual([]);
  expect([gap?.id, gap?.promptIndex]).toEqual([1, 0]);
  expect(gap?.box[0]).toBeCloseTo(160, -1);
  expect(gap?.moved[0]).toBeCloseTo(20, -1);
  expect(gap?.moved[1]).toBe(0);
  tracker.update(4 / 6, [found(THERE)]);
  expect(tracker.gaps()).toEqual([]);
});

test("a gap that is bridged continues as one in the next frame, and from where it was found", () => {
  const tracker = new Tracker({ maxGapSeconds: 0.4 });
  for (const time of [0, 1]) tracker.update(time / 6, [found(HERE)]);
  for (const time of [2, 3, 4, 5, 6]) {
    tracker.update(time / 6, []);
    expect(tracker.gaps().map(({ id }) => id)).toEqual([1]);
    tracker.bridge(1, [100 + 40 * (time - 1), 100, 200 + 40 * (time - 1), 300]);
  }
  expect(tracker.update(7 / 6, [found([340, 100, 440, 300])])).toEqual([1]);
});

test("of two objects in one place, the one that looks like a detection is the one that it continues", () => {
  const [striped, plain] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  for (const [appearance, id] of [
    [striped, 1],
    [plain, 2],
  ] as const) {
    const tracker = new Tracker();
    tracker.update(0, [
      { ...found(HERE), appearance: striped },
      { ...found([120, 100, 220, 300]), appearance: plain },
    ]);
    expect(tracker.update(0.2, [{ ...found([110, 100, 210, 300]), appearance }])).toEqual([id]);
  }
});
