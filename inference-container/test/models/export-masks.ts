/** The masks that SAM 2's own export draws for regions of the photograph of a cup, and its ratings of them. */
import sharp from "sharp";
import { expect } from "vitest";
import type { Region } from "@segmentation/masks";
import type { DrawnRegion } from "../../src/models/model.ts";
import { referenceFile } from "./samples.ts";

const [SIDE, CANDIDATES] = [256, 4];

const on = (x: number, y: number) => ({ x, y, label: 1 }) as const;
const off = (x: number, y: number) => ({ x, y, label: 0 }) as const;

/** A disc on the decoder's grid. */
const disc = {
  width: SIDE,
  height: SIDE,
  logits: Float32Array.from({ length: SIDE * SIDE }, (_, cell) =>
    Math.hypot((cell % SIDE) - 120, Math.floor(cell / SIDE) - 130) < 70 ? 10 : -10,
  ),
};

/** Regions of the photograph of a cup, each with the ratings that SAM 2's own export gives its four masks. */
const RATED: readonly (readonly [Region, readonly number[]])[] = [
  [{ points: [on(366, 283)] }, [0.9081, 0.7395, 0.9038, 0.9032]],
  [{ points: [on(130, 230), off(300, 200)] }, [0.8314, 0.7007, 0.2308, 0.8393]],
  [{ box: [326, 235, 407, 326] }, [0.9697, 0.8941, 0.9668, 0.9712]],
  [{ box: [0, 0, 153, 108] }, [0.9894, 0.8122, 0.985, 0.9919]],
  [{ box: [76, 69, 481, 390], points: [off(366, 283)] }, [0.9687, 0.6201, 0.9519, 0.9701]],
  [{ points: [on(300, 200)], prior: disc }, [0.7245, 0.5354, 0.838, 0.7842]],
  [{ box: [150, 80, 420, 330], prior: disc }, [0.9903, 0.985, 0.9838, 0.9897]],
];

export const REGIONS = RATED.map(([region]) => region);

/** Expects the export's masks and ratings. @param offers of each region, in their order */
export async function expectExport(offers: readonly (readonly DrawnRegion[])[]): Promise<void> {
  // A row of masks for each region.
  const expected = await sharp(referenceFile("coffee-export")).toColourspace("b-w").raw().toBuffer();
  for (const [row, [, ratings]] of RATED.entries())
    for (const [column, rating] of ratings.entries()) {
      const { mask, quality } = offers[row]?.[column] ?? expect.fail();
      expect(quality).toBeCloseTo(rating, 3);
      let [both, either] = [0, 0];
      for (const [cell, logit] of mask.logits.entries()) {
        const place = (row * SIDE + Math.floor(cell / SIDE)) * CANDIDATES * SIDE + column * SIDE;
        const [a, b] = [logit > 0, (expected[place + (cell % SIDE)] ?? 0) > 127];
        both += a && b ? 1 : 0;
        either += a || b ? 1 : 0;
      }
      expect(both / either).toBeGreaterThanOrEqual(0.999);
    }
}
