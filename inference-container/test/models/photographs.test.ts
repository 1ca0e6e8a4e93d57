import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Device } from "../../src/device/device.ts";
import { scoreOf } from "../../src/models/confidence.ts";
import { BuiltinManifest } from "../../src/models/builtin/manifest.ts";
import { TEMPLATE } from "../../src/models/fetch/build-folder.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { readManifest } from "../../src/models/folder.ts";
import { loadModel } from "../../src/models/load.ts";
import { gridBounds, gridIou, type LogitGrid, type Region } from "@segmentation/masks";
import type {
  DrawnRegion,
  Instance,
  Model,
  OpenPicture,
  Picture,
  Segmentation,
} from "../../src/models/model.ts";
import { cosine } from "../../src/models/arithmetic.ts";
import { plainMask } from "../support/masks/plain-mask.ts";
import { Trajectory } from "../../src/following/trajectory.ts";
import { maskIou, maskOf, reference, sample, share } from "./samples.ts";
import { expectExport, REGIONS } from "./export-masks.ts";
import { filledDisc, PLACES, ringAndDiscs } from "./shapes.ts";
import { isLong } from "../support/form.ts";

const DOWNLOAD_MS = 600_000;
const THRESHOLD = 0.5;

let model: Model;
beforeAll(async () => {
  model = await loadModel(await ensureBuiltin(), { threads: 2 });
}, DOWNLOAD_MS);
afterAll(() => model.close());

async function find(picture: Picture, ...prompts: string[]): Promise<Segmentation> {
  return model.segment(picture, { prompts, threshold: THRESHOLD, withFaint: false });
}

async function only(picture: Picture, prompt: string): Promise<Instance> {
  const { instances } = await find(picture, prompt);
  expect(instances).toHaveLength(1);
  return instances[0] ?? expect.fail();
}

async function drawIn(picture: Picture, region: Region): Promise<DrawnRegion> {
  const request = { prompts: [], regions: [region], threshold: THRESHOLD, withFaint: false };
  const { regions: [drawn = expect.fail()] = [] } = await model.segment(picture, request);
  return drawn;
}

const pointAt = (x: number, y: number): Region => ({ points: [{ x, y, label: 1 }] });

// These come first: each picture of this file is new once.
describe("the cache of image features", () => {
  it("distinguishes pictures by content, and serves a further prompt on the same one from the features of the first", async () => {
    const first = await find(await sample("coffee"), "cup");
    const second = await find(await sample("coffee"), "spoon");
    const other = await find(await sample("chelsea"), "cat");
    const caches = [first, second, other].map(({ featuresCached }) => featuresCached);
    expect(caches).toEqual([false, true, false]);
    expect(second.modelMs).toBeLessThan(first.modelMs);
  });

  it("a further region of a known picture costs one run, of the decoder [A5-11]", async () => {
    const runs = vi.spyOn(Device.prototype, "run");
    onTestFinished(() => runs.mockRestore());
    const picture = await sample("astronaut");
    await drawIn(picture, pointAt(366, 283));
    await drawIn(picture, { box: [0, 0, 153, 108] });
    const encoder = ["image_embed", "fine_cells", "middle_cells"];
    const decoder = ["masks", "iou_predictions"];
    expect(runs.mock.calls.map(([{ outputs }]) => outputs)).toEqual([encoder, decoder, decoder]);
  });
});

describe("the embedded model on photographs", () => {
  it.each([
    ["cat", "chelsea", 0.8],
    ["cup", "coffee", 0.86],
    ["spoon", "coffee", 0.6],
    ["person", "astronaut", 0.83],
  ])("finds one %s on %s with the score that the unconverted detector gave", async (prompt, name, score) => {
    const { detection } = await readManifest(TEMPLATE, BuiltinManifest);
    const picture = await sample(name);
    const instance = await only(picture, prompt);
    expect(scoreOf(instance.score, detection.confidence)).toBeCloseTo(score, 1);
    const mask = maskOf(instance, picture);
    expect(maskIou(mask, await reference(`${name}-${prompt}`))).toBeGreaterThanOrEqual(0.9);
  });

  it("covers more than 35 % of the picture with the cat", async () => {
    const picture = await sample("chelsea");
    expect(share(maskOf(await only(picture, "cat"), picture))).toBeGreaterThan(0.35);
  });

  it("counts the coffee as part of the cup: an enclosed hole is filled", async () => {
    const picture = await sample("coffee");
    const mask = maskOf(await only(picture, "cup"), picture);
    expect(mask[150 * picture.width + 290]).toBe(true);
  });

  it.each(["chelsea", "coffee", "astronaut"])("finds no zebra on %s and serves the prompt", async (name) => {
    expect(await find(await sample(name), "zebra")).toMatchObject({ instances: [], unserved: [] });
  });

  it("draws a known object again in a picture that is kept open, and knows it from others", async () => {
    const picture = await sample("coffee");
    const request = { prompts: ["cup", "spoon"], threshold: THRESHOLD, withFaint: false, keepOpen: true };
    const { instances, open } = await model.segment(picture, request);
    const [cup = expect.fail(), spoon = expect.fail()] = instances;
    using kept = open ?? expect.fail();
    const [again = expect.fail()] = await kept.draw([{ box: cup.box, prior: cup.mask }]);
    expect(maskIou(maskOf({ ...cup, ...again }, picture), maskOf(cup, picture))).toBeGreaterThan(0.95);
    expect(again.quality).toBeGreaterThan(0.8);
    expect(cosine(again.appearance ?? expect.fail(), cup.appearance ?? expect.fail())).toBeGreaterThan(0.98);
    expect(cosine(again.appearance ?? expect.fail(), spoon.appearance ?? expect.fail())).toBeLessThan(0.8);
  });

  it("draws in a picture in which it found nothing", async () => {
    const picture = await sample("coffee");
    const { mask } = await only(picture, "cup");
    const request = { prompts: ["zebra"], threshold: THRESHOLD, withFaint: false, keepOpen: true };
    const { instances, open } = await model.segment(picture, request);
    expect(instances).toEqual([]);
    using kept = open ?? expect.fail();
    const box = gridBounds(mask, picture) ?? expect.fail();
    const [cup = expect.fail()] = await kept.draw([{ box, prior: mask }]);
    expect(gridIou(cup.mask, mask)).toBeGreaterThan(0.95);
  });

  it.runIf(isLong)("offers the masks and the ratings that SAM 2's own export gives", async () => {
    const request = { prompts: [], threshold: THRESHOLD, withFaint: false, keepOpen: true };
    const { open } = await model.segment(await sample("coffee"), request);
    using kept = open ?? expect.fail();
    await expectExport(await (kept.following ?? expect.fail()).offers(REGIONS));
  });

  it("reports a prompt outside the vocabulary, and serves the others", async () => {
    const { instances, unserved } = await find(await sample("chelsea"), "sky", "cat");
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([1]);
    expect(unserved.map(({ promptIndex }) => promptIndex)).toEqual([0]);
    expect(unserved[0]?.message).toContain('"sky" is outside the vocabulary of the model, which knows 80');
  });

  it("gives two prompts that mean the same label their instances each, in the request's order", async () => {
    const { instances } = await find(await sample("astronaut"), "woman", "person");
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 1]);
    expect(instances[0]?.mask.logits).toEqual(instances[1]?.mask.logits);
  });

  it("draws the same mask in an object's box as for that object", async () => {
    const picture = await sample("coffee");
    const [cup, spoon] = [await only(picture, "cup"), await only(picture, "spoon")];
    const regions = [{ box: spoon.box }, { box: cup.box }];
    const request = { prompts: [], regions, threshold: THRESHOLD, withFaint: false };
    const { regions: drawn = [] } = await model.segment(picture, request);
    expect(drawn).toHaveLength(2);
    for (const [at, instance] of [spoon, cup].entries()) {
      const { mask } = drawn[at] ?? expect.fail();
      expect(maskIou(maskOf({ ...instance, mask }, picture), maskOf(instance, picture))).toBeGreaterThan(
        0.99,
      );
    }
  });

  it("gives a wide word the objects of every label under it, best first", async () => {
    const { instances } = await find(await sample("chelsea"), "animals");
    expect(instances).toHaveLength(1);
  });

  it("keeps no instance below the request's threshold [4.3-5]", async () => {
    const { instances } = await model.segment(await sample("coffee"), {
      prompts: ["spoon"],
      threshold: 0.9,
      withFaint: false,
    });
    expect(instances).toEqual([]);
  });

  it("finds less likely objects on request, but none begins a track in a video", async () => {
    const picture = await sample("coffee");
    const request = { prompts: ["cup"], threshold: 0.05, withFaint: false };
    const alone = (await model.segment(picture, request)).instances;
    expect(alone.length).toBeGreaterThan(1);
    expect(alone.map(({ score, faint }) => score >= 0.05 && !faint)).not.toContain(false);
    const frame = (await model.segment(picture, { ...request, inClip: true })).instances;
    expect(frame).toHaveLength(1);
    const continuing = await model.segment(picture, { ...request, inClip: true, withFaint: true });
    expect(continuing.instances.map(({ score, faint }) => faint === score < 0.5)).not.toContain(false);
    expect(continuing.instances.some(({ faint }) => faint)).toBe(true);
  });

  it("keeps boxes inside the picture", async () => {
    const picture = await sample("chelsea");
    const [x1, y1, x2, y2] = (await only(picture, "cat")).box;
    expect([x1 >= 0, y1 >= 0, x2 <= picture.width, y2 <= picture.height]).toEqual([true, true, true, true]);
  });
});

describe("a region of a photograph", () => {
  let coffee: Picture;
  beforeAll(async () => {
    coffee = await sample("coffee");
  });

  // None of these is one of the 80 nouns.
  it.for<readonly [string, string, Region]>([
    ["spoon-bowl", "in a box", { box: [326, 235, 407, 326] }],
    ["spoon-bowl", "at a point", pointAt(366, 283)],
    ["saucer", "in a box", { box: [76, 69, 481, 390] }],
    ["saucer", "at a point", pointAt(130, 230)],
    ["dark-corner", "in a box", { box: [0, 0, 153, 108] }],
    ["dark-corner", "at a point", pointAt(45, 35)],
  ])("%s is drawn %s as a person drew it [A5-10]", async ([name, , region]) => {
    const { mask } = await drawIn(coffee, region);
    const drawn = plainMask(mask, coffee.width, coffee.height, 0.5);
    expect(maskIou(drawn, await reference(`coffee-${name}`))).toBeGreaterThanOrEqual(0.85);
  });
});

describe("a click is obeyed", () => {
  const { ring, hole, holeEdge, large, small } = PLACES;
  const on = (place: (typeof PLACES)[keyof typeof PLACES]) => ({ ...place, label: 1 as const });
  const off = (place: (typeof PLACES)[keyof typeof PLACES]) => ({ ...place, label: 0 as const });
  const CUT: Region = { points: [on(ring), off(hole)] };
  const BOTH: Region = { points: [on(large), on(small)] };

  let picture: Picture;
  let open: OpenPicture;
  beforeAll(async () => {
    picture = await ringAndDiscs();
    const request = { prompts: [], threshold: THRESHOLD, withFaint: false, keepOpen: true };
    open = (await model.segment(picture, request)).open ?? expect.fail();
  });
  afterAll(() => open[Symbol.dispose]());

  /** The places that a mask has. */
  function placesIn(mask: LogitGrid): string[] {
    const set = plainMask(mask, picture.width, picture.height, 0.5);
    return Object.entries(PLACES).flatMap(([name, { x, y }]) => (set[y * picture.width + x] ? [name] : []));
  }

  async function draw(...regions: readonly Region[]): Promise<string[][]> {
    return (await open.draw(regions)).map(({ mask }) => placesIn(mask));
  }

  it("in a picture: a hole stays a hole, and a small part with a point on it stays a part", async () => {
    const drawn = await draw(CUT, { points: [on(ring), off(holeEdge)] }, { points: [on(ring)] }, BOTH);
    expect(drawn).toEqual([["ring"], ["ring"], ["ring"], ["large", "small"]]);
  });

  it("in a correction of a mask: by its own points, and by those that drew the mask", async () => {
    const [cut = expect.fail(), both = expect.fail()] = await open.draw([CUT, BOTH]);
    const drawn = await draw(
      { ...CUT, prior: filledDisc("ring", picture) },
      { points: [on(small)], prior: filledDisc("large", picture) },
      { points: [on(ring)], prior: cut.mask },
      { points: [on(large)], prior: both.mask },
    );
    expect(drawn).toEqual([["ring"], ["large", "small"], ["ring"], ["large", "small"]]);
  });

  it("in a video: in the frame with the points, in a correction, and in the frames that follow", async () => {
    const following = open.following ?? expect.fail();
    const cases: readonly [Region, Region | undefined][] = [
      [CUT, undefined],
      [{ box: [62, 122, 298, 358] }, CUT],
      [BOTH, undefined],
      [{ points: [on(large)] }, BOTH],
    ];
    const seen: string[][] = [];
    for (const [first, second] of cases) {
      const regions = new Map([[0, first], ...(second === undefined ? [] : [[1, second] as const])]);
      const trajectory = new Trajectory([{ objectId: 1, regions }], picture, 1);
      for (const time of [0, 1, 2])
        seen.push((await trajectory.next(time, following)).flatMap(({ mask }) => placesIn(mask)));
    }
    const [cut, filled, both] = [["ring"], ["ring", "hole", "holeEdge"], ["large", "small"]];
    expect(seen).toEqual([cut, cut, cut, filled, cut, cut, both, both, both, ["large"], both, both]);
  });
});
