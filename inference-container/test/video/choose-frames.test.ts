import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TaskFailure } from "../../src/failures.ts";
import { planSamples } from "../../src/video/choose-frames.ts";

/** Ascending times that begin anywhere: even, rounded to milliseconds as in MKV, or with gaps of any length. */
const clips = fc
  .record({
    count: fc.integer({ min: 1, max: 120 }),
    rate: fc.constantFrom(1, 5, 6, 23.976, 24, 25, 29.97, 30, 59.94, 240),
    start: fc.constantFrom(0, 0.007, 0.5),
    rounded: fc.boolean(),
    gaps: fc.array(fc.double({ min: 0.001, max: 2, noNaN: true }), { minLength: 120, maxLength: 120 }),
    even: fc.boolean(),
  })
  .map(({ count, rate, start, rounded, gaps, even }) => {
    let time = start;
    return Float64Array.from({ length: count }, (_, at) => {
      const exact = even ? start + at / rate : time;
      time += gaps[at] ?? 1;
      return rounded ? Math.round(exact * 1000) / 1000 : exact;
    });
  })
  .filter((times) => times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)));

const rates = fc.constantFrom(0.1, 0.5, 1, 2, 5.9, 6, 7, 12.5, 24, 29.97, 30, 60, 1000);
const numbers = fc.integer({ min: 1, max: 150 });
const bound = fc.option(fc.integer({ min: 1, max: 150 }));
const evenClip = (count: number, rate: number): Float64Array =>
  Float64Array.from({ length: count }, (_, at) => at / rate);
const all = (times: Float64Array): number[] => [...times.keys()];

const plan = (times: Float64Array, sampling: Partial<Parameters<typeof planSamples>[1]>, most = 1e6) =>
  planSamples(times, { fps: null, numFrames: null, maxFrames: null, ...sampling }, most);

test("however it is sampled, frames ascend, none comes twice, and the first is the video's first", () => {
  fc.assert(
    fc.property(clips, fc.option(rates), fc.option(numbers), bound, (times, fps, numFrames, maxFrames) => {
      const sampling = numFrames === null ? { fps, maxFrames } : { numFrames, maxFrames };
      const { indexes, fps: rate } = plan(times, sampling);
      expect(indexes[0]).toBe(0);
      for (const [at, index] of indexes.entries()) {
        if (at > 0) expect(index).toBeGreaterThan(indexes[at - 1] ?? Infinity);
      }
      expect(indexes.at(-1)).toBeLessThan(times.length);
      expect(indexes.length).toBeLessThanOrEqual(maxFrames ?? Infinity);
      expect(rate).toBeGreaterThan(0);
      expect(rate).toBeLessThan(Infinity);
    }),
  );
});

describe("a rate", () => {
  test("takes the first frame of each slot, which may begin a millisecond late [4.3-11]", () => {
    fc.assert(
      fc.property(clips, rates, (times, fps) => {
        const start = times[0] ?? 0;
        const slotOf = (time: number): number => Math.floor((time - start + 0.001) * fps);
        const firsts = all(times).filter(
          (at) =>
            !all(times).some((other) => other < at && slotOf(times[other] ?? 0) === slotOf(times[at] ?? 0)),
        );
        expect(plan(times, { fps }).indexes).toEqual(firsts);
      }),
    );
  });

  test.for([23.976, 24, 25, 29.97, 30, 50, 59.94, 60])(
    "that is the video's own, %f, takes every frame, also of times in whole milliseconds",
    (rate) => {
      const exact = evenClip(2000, rate);
      const rounded = exact.map((time) => Math.round(time * 1000) / 1000);
      for (const times of [exact, rounded]) {
        const { indexes, fps } = plan(times, { fps: rate });
        expect(indexes).toEqual(all(times));
        expect(fps).toBeCloseTo(rate, 2);
      }
    },
  );

  test("above the video's own takes every frame, and the plan has the video's rate", () => {
    const times = evenClip(50, 25);
    const { indexes, fps } = plan(times, { fps: 200 });
    expect(indexes).toEqual(all(times));
    expect(fps).toBeCloseTo(25, 9);
  });

  test("of 2 takes every fifteenth of 30 frames a second", () => {
    expect(plan(evenClip(90, 30), { fps: 2 })).toEqual({ indexes: [0, 15, 30, 45, 60, 75], fps: 2 });
  });

  test("far above the video's own takes every frame, even where maxFrames ends it early", () => {
    const times = evenClip(100, 25);
    for (const fps of [1e4, 1e9, 1e308, Number.MAX_VALUE]) {
      const { indexes, fps: rate } = plan(times, { fps });
      expect(indexes).toEqual(all(times));
      expect(rate).toBeCloseTo(25, 9);
      expect(plan(times, { fps, maxFrames: 10 }).fps).toBeCloseTo(25, 9);
    }
  });

  test("that is almost 0 takes the first frame, and the plan has a rate above 0", () => {
    for (const fps of [1e-5, 1e-7, 1e-9, 1e-20, Number.MIN_VALUE]) {
      const { indexes, fps: rate } = plan(evenClip(100, 25), { fps });
      expect(indexes).toEqual([0]);
      expect(Number(rate.toFixed(6))).toBeGreaterThan(0);
      expect(1 / rate).toBeLessThan(Infinity);
    }
  });

  test("of any size gives one with six decimals, neither 0 nor infinite", () => {
    const any = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(clips, any, bound, (times, fps, maxFrames) => {
        const rate = Number(plan(times, { fps, maxFrames }).fps.toFixed(6));
        expect(rate).toBeGreaterThan(0);
        expect(rate).toBeLessThan(Infinity);
      }),
    );
  });

  test("stays true where maxFrames ends it early", () => {
    fc.assert(
      fc.property(clips, rates, numbers, (times, fps, maxFrames) => {
        const bounded = plan(times, { fps, maxFrames }).indexes;
        expect(bounded).toEqual(plan(times, { fps }).indexes.slice(0, maxFrames));
      }),
    );
    expect(plan(evenClip(90, 30), { fps: 2, maxFrames: 2 })).toEqual({ indexes: [0, 15], fps: 2 });
  });
});

describe("a number", () => {
  test("gives exactly as many, or all of a video that has fewer; with maxFrames the smaller number [4.3-11]", () => {
    fc.assert(
      fc.property(clips, numbers, bound, (times, numFrames, maxFrames) => {
        const expected = Math.min(numFrames, maxFrames ?? Infinity, times.length);
        expect(plan(times, { numFrames, maxFrames }).indexes).toHaveLength(expected);
      }),
    );
  });

  test("takes the free frames nearest to evenly spaced times", () => {
    fc.assert(
      fc.property(clips, numbers, (times, numFrames) => {
        const number = Math.min(numFrames, times.length);
        const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
        const step = times.length > 1 ? (span * times.length) / (times.length - 1) / number : 0;
        const { indexes } = plan(times, { numFrames });
        for (const [sample, index] of indexes.entries()) {
          const ideal = (times[0] ?? 0) + sample * step;
          const free = all(times).filter(
            (at) => at > (indexes[sample - 1] ?? -1) && at <= times.length - number + sample,
          );
          const nearest = Math.min(...free.map((at) => Math.abs((times[at] ?? 0) - ideal)));
          expect(Math.abs((times[index] ?? 0) - ideal)).toBeCloseTo(nearest, 9);
        }
      }),
    );
  });

  test("spaces the samples of an even video evenly, to a frame", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 400 }), fc.integer({ min: 2, max: 400 }), (count, numFrames) => {
        const { indexes } = plan(evenClip(count, 25), { numFrames });
        const gaps = indexes.slice(1).map((index, at) => index - (indexes[at] ?? 0));
        expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("gives the rate that it amounts to", () => {
    expect(plan(evenClip(300, 30), { numFrames: 20 }).fps).toBeCloseTo(2, 9);
    expect(plan(evenClip(300, 30), { numFrames: 1000 }).fps).toBeCloseTo(30, 9);
  });
});

describe("without a rate or a number", () => {
  test("six frames a second are taken", () => {
    fc.assert(
      fc.property(clips, (times) => {
        expect(plan(times, {})).toEqual(plan(times, { fps: 6 }));
      }),
    );
    expect(plan(evenClip(90, 30), {})).toEqual({ indexes: all(evenClip(18, 6)).map((at) => at * 5), fps: 6 });
  });

  test("a slower video is taken whole", () => {
    const { indexes, fps } = plan(evenClip(20, 2), {});
    expect(indexes).toHaveLength(20);
    expect(fps).toBeCloseTo(2, 9);
  });

  test("a video of one frame gives that frame", () => {
    expect(plan(Float64Array.of(0.5), {})).toEqual({ indexes: [0], fps: 6 });
  });
});

describe("more frames than a task may have", () => {
  test.for([
    ["by a rate", { fps: 30 }, /90 frames.*limit is 60.*fps or set maxFrames/],
    ["by a number", { numFrames: 61 }, /61 frames.*limit is 60.*numFrames/],
  ] as const)("are refused with both numbers and a way out: %s", ([, sampling, sentence]) => {
    expect(() => plan(evenClip(90, 30), sampling, 60)).toThrow(sentence);
    expect(() => plan(evenClip(90, 30), sampling, 60)).toThrow(TaskFailure);
  });

  test("can't occur if maxFrames or the video's length keeps to the limit", () => {
    expect(plan(evenClip(90, 30), { fps: 30, maxFrames: 60 }, 60).indexes).toHaveLength(60);
    expect(plan(evenClip(60, 30), { numFrames: 9000 }, 60).indexes).toHaveLength(60);
  });
});
