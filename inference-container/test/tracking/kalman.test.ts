import * as fc from "fast-check";
import { expect, test } from "vitest";
import { correct, type Motion, predict } from "../../src/tracking/track.ts";

const real = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });
const seconds = real(0, 3);

test("two steps of time equal one that is as long as both", () => {
  const motion: Motion = {
    position: 3,
    velocity: -2,
    positionVariance: 4,
    covariance: 1,
    velocityVariance: 9,
  };
  fc.assert(
    fc.property(seconds, seconds, real(0, 5), (first, second, acceleration) => {
      const once = predict(motion, first + second, acceleration);
      const twice = predict(predict(motion, first, acceleration), second, acceleration);
      for (const key of [
        "position",
        "velocity",
        "positionVariance",
        "covariance",
        "velocityVariance",
      ] as const)
        expect(twice[key]).toBeCloseTo(once[key], 9);
    }),
  );
});

test("without acceleration the estimate is the line of least squares", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(real(0.05, 1), real(-100, 100)), { minLength: 3, maxLength: 12 }),
      (steps) => {
        // Almost unknown before the first measurement.
        let motion: Motion = {
          position: 0,
          velocity: 0,
          positionVariance: 1e7,
          covariance: 0,
          velocityVariance: 1e7,
        };
        let time = 0;
        const points: [number, number][] = [];
        for (const [step, measured] of steps) {
          time += step;
          points.push([time, measured]);
          motion = correct(predict(motion, step, 0), measured, 1);
        }
        const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
        const [t, z] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
        const slope =
          mean(points.map(([x, y]) => (x - t) * (y - z))) / mean(points.map(([x]) => (x - t) ** 2));
        expect(motion.velocity).toBeCloseTo(slope, 1);
        expect(motion.position).toBeCloseTo(z + slope * (time - t), 1);
      },
    ),
  );
});

test("a measurement never makes the estimate less certain, and time never makes it more so", () => {
  fc.assert(
    fc.property(seconds, real(-50, 50), real(0.01, 9), (step, measured, noise) => {
      const start: Motion = {
        position: 0,
        velocity: 0,
        positionVariance: 2,
        covariance: 0,
        velocityVariance: 3,
      };
      const later = predict(start, step, 1);
      const known = correct(later, measured, noise);
      expect(later.positionVariance).toBeGreaterThanOrEqual(start.positionVariance);
      expect(known.positionVariance).toBeLessThan(later.positionVariance);
      expect(known.positionVariance).toBeLessThan(noise);
      expect(known.velocityVariance).toBeLessThanOrEqual(later.velocityVariance);
      expect(known.velocityVariance).toBeGreaterThan(0);
    }),
  );
});
