import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DecodeRequest } from "segmentation-client/interactive";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { type Compared, loadBoth } from "../support/decoded-regions.ts";

const LABELLED = join(PROJECT_ROOT, "samples/labelled/pictures");
const PICTURES = [
  ...["astronaut", "chelsea", "coffee"].map((name) => join(PROJECT_ROOT, "samples", `${name}.png`)),
  ...(await readdir(LABELLED)).map((name) => join(LABELLED, name)),
];
const EACH = 24;

let both: Awaited<ReturnType<typeof loadBoth>>;
beforeAll(async () => {
  both = await loadBoth();
}, 600_000);
afterAll(() => both.close());

/** Numbers between 0 and 1, the same in every run. */
function numbers(): () => number {
  let state = 77;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** A third each: a point, a box, and three points. */
function requests(next: () => number, width: number, height: number): DecodeRequest[] {
  const point = (label: 0 | 1) => ({ x: next() * width, y: next() * height, label });
  return Array.from({ length: EACH }, (_, at): DecodeRequest => {
    if (at % 3 === 0) return { points: [point(1)] };
    if (at % 3 === 2) return { points: [point(1), point(1), point(0)] };
    const [x, y] = [next() * width * 0.7, next() * height * 0.7];
    return {
      box: [
        x,
        y,
        Math.min(20 + next() * width * 0.3, width - x),
        Math.min(20 + next() * height * 0.3, height - y),
      ],
    };
  });
}

it("a client draws what the service draws, at 216 points and boxes of nine photographs", async () => {
  const next = numbers();
  const all: Compared[] = [];
  for (const path of PICTURES)
    all.push(...(await both.compare(path, (width, height) => requests(next, width, height))));
  const by = (of: (one: Compared) => number): number[] => all.map(of).toSorted((a, b) => a - b);
  const [ious, same, apart] = [by(({ iou }) => iou), by((one) => one.same), by((one) => one.apart)];
  const at = (values: number[], share: number): number =>
    values[Math.floor(share * (values.length - 1))] ?? 0;
  const low = ious.filter((iou) => iou < 0.99).length;
  console.log(
    `${all.length} masks. IoU: least ${at(ious, 0)}, 5 % ${at(ious, 0.05)}, median ${at(ious, 0.5)}, below 0.99: ${low}. ` +
      `Same pixels: least ${at(same, 0)}, 5 % ${at(same, 0.05)}, median ${at(same, 0.5)}. Confidence: most apart ${at(apart, 1)}`,
  );
  expect(all).toHaveLength(EACH * PICTURES.length);
  expect(at(ious, 0.5)).toBeGreaterThanOrEqual(0.999);
  expect(at(ious, 0.05)).toBeGreaterThanOrEqual(0.985);
  expect(at(same, 0.05)).toBeGreaterThanOrEqual(0.999);
}, 1_200_000);
