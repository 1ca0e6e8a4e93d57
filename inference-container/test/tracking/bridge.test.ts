import { describe, expect, test } from "vitest";
import { gridIou } from "@segmentation/masks";
import { Bridges } from "../../src/following/bridge.ts";
import type { Gap } from "../../src/tracking/tracker.ts";
import { colourModel, type Disc, painted, SIZE } from "../support/video/coloured-scene.ts";

const [START, STEP, RADIUS] = [60, 10, 20];
const red = (x: number): Disc => ({ colour: "red", x, y: 90, radius: RADIUS });

/** A frame with these discs, and the detector's results in it. */
async function frameOf(...discs: readonly Disc[]) {
  const picture = { ...SIZE, rgb: painted({ ground: "grey", discs }), contentHash: null };
  const request = { prompts: ["red"], threshold: 0.5, withFaint: false, keepOpen: true };
  const { instances, open } = await colourModel().segment(picture, request);
  return { instances, seen: open?.following ?? expect.fail() };
}

/** The memory of a disc that was detected at these times, one step further each time. */
async function detectedAt(...times: readonly number[]): Promise<Bridges> {
  const bridges = new Bridges(SIZE);
  for (const [step, time] of times.entries()) {
    const { instances, seen } = await frameOf(red(START + step * STEP));
    bridges.detected(1, time, instances[0] ?? expect.fail(), await seen.appearance());
  }
  return bridges;
}

const gapAt = (x: number): Gap => ({
  id: 1,
  promptIndex: 0,
  box: [x - RADIUS, 90 - RADIUS, x + RADIUS, 90 + RADIUS],
  moved: [STEP, 0],
});

/** The place of the disc two frames after its first detection. */
const NEXT = START + 2 * STEP;

/** Objects found in a frame with these discs, where the disc is expected at `NEXT`. */
async function foundIn(...discs: readonly Disc[]) {
  const { seen } = await frameOf(...discs);
  return (await detectedAt(0, 0.2)).find(0.4, [gapAt(NEXT)], seen, []);
}

describe("an object that the detector misses is looked for", () => {
  test("and has its mask, its id and its last confidence", async () => {
    const [found] = await foundIn(red(NEXT));
    const [detected] = (await frameOf(red(NEXT))).instances;
    expect(found).toMatchObject({ objectId: 1, promptIndex: 0, score: 0.9, box: detected?.box });
    expect(found && detected && gridIou(found.mask, detected.mask)).toBe(1);
  });

  test("for a second after its last detection, and no longer", async () => {
    const { seen } = await frameOf(red(NEXT));
    const bridges = await detectedAt(0, 0.2);
    expect(await bridges.find(1.2, [gapAt(NEXT)], seen, [])).toHaveLength(1);
    expect(await bridges.find(1.3, [gapAt(NEXT)], seen, [])).toHaveLength(0);
  });

  test("not if it was detected only once, which may have been an error", async () => {
    const { seen } = await frameOf(red(NEXT));
    expect(await (await detectedAt(0.2)).find(0.4, [gapAt(NEXT)], seen, [])).toHaveLength(0);
  });

  test("not if most of its box is beyond the picture's edge", async () => {
    const bridges = await detectedAt(0, 0.2);
    const countAt = async (x: number): Promise<number> =>
      (await bridges.find(0.4, [gapAt(x)], (await frameOf(red(x))).seen, [])).length;
    expect(await countAt(SIZE.width - 2)).toBe(1);
    expect(await countAt(SIZE.width + 4)).toBe(0);
  });

  test("again from where it was found last, as it grows", async () => {
    const bridges = await detectedAt(0, 0.2);
    for (const [step, time] of [0.4, 0.6, 0.8].entries()) {
      const [x, radius] = [NEXT + step * STEP, RADIUS + 3 * step];
      const { seen, instances } = await frameOf({ ...red(x), radius });
      const [found] = await bridges.find(time, [gapAt(x)], seen, []);
      expect(found?.box).toEqual(instances[0]?.box);
    }
  });
});

describe("the found mask is the object", () => {
  test("even where it has jumped by half its size, or turned smaller", async () => {
    expect(await foundIn(red(NEXT + RADIUS))).toHaveLength(1);
    expect(await foundIn({ ...red(NEXT), radius: 15 })).toHaveLength(1);
  });

  test("not if it is gone, or something else is where it was expected", async () => {
    expect(await foundIn()).toHaveLength(0);
    expect(await foundIn({ ...red(NEXT), colour: "blue" })).toHaveLength(0);
  });

  test("not if another object of its prompt is in its place; one of another prompt may be", async () => {
    const { seen, instances } = await frameOf(red(NEXT));
    const [{ mask } = expect.fail()] = instances;
    const foundBeside = async (promptIndex: number) =>
      (await detectedAt(0, 0.2)).find(0.4, [gapAt(NEXT)], seen, [{ objectId: 2, promptIndex, mask }]);
    expect(await foundBeside(0)).toHaveLength(0);
    expect(await foundBeside(1)).toHaveLength(1);
  });
});
