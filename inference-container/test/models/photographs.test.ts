import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../src/models/load.ts";
import type { Instance, Model, Picture, Segmentation } from "../../src/models/model.ts";
import { maskIou, maskOf, reference, sample, share } from "./samples.ts";

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

describe("the embedded model on photographs", () => {
  it.each([
    ["cat", "chelsea", 0.8],
    ["cup", "coffee", 0.86],
    ["spoon", "coffee", 0.6],
    ["person", "astronaut", 0.83],
  ])("finds one %s on %s with the score that the unconverted detector gave", async (prompt, name, score) => {
    const picture = await sample(name);
    const instance = await only(picture, prompt);
    expect(instance.score).toBeCloseTo(score, 1);
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

  it("says of a prompt outside the vocabulary that it is, and serves the others", async () => {
    const { instances, unserved } = await find(await sample("chelsea"), "sky", "cat");
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([1]);
    expect(unserved.map(({ promptIndex }) => promptIndex)).toEqual([0]);
    expect(unserved[0]?.message).toContain(
      '"sky" is outside the vocabulary of the embedded model, which knows 80',
    );
  });

  it("gives two prompts that mean the same label their instances each, in the request's order", async () => {
    const { instances } = await find(await sample("astronaut"), "woman", "person");
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 1]);
    expect(instances[0]?.mask.logits).toEqual(instances[1]?.mask.logits);
  });

  it("gives a wide word the objects of every label under it, best first", async () => {
    const { instances } = await find(await sample("chelsea"), "animals");
    expect(instances).toHaveLength(1);
  });

  it("keeps no instance below the request's threshold", async () => {
    const { instances } = await model.segment(await sample("coffee"), {
      prompts: ["spoon"],
      threshold: 0.7,
      withFaint: false,
    });
    expect(instances).toEqual([]);
  });

  it("keeps boxes inside the picture", async () => {
    const picture = await sample("chelsea");
    const [x1, y1, x2, y2] = (await only(picture, "cat")).box;
    expect([x1 >= 0, y1 >= 0, x2 <= picture.width, y2 <= picture.height]).toEqual([true, true, true, true]);
  });
});

describe("the cache of image features", () => {
  it("serves a further prompt on the same picture from the features of the first", async () => {
    const picture = { ...(await sample("coffee")), contentHash: "a picture not seen before" };
    const first = await find(picture, "cup");
    const second = await find(picture, "spoon");
    expect([first.featuresCached, second.featuresCached]).toEqual([false, true]);
    expect(second.modelMs).toBeLessThan(first.modelMs);
  });

  it("tells pictures apart by content", async () => {
    const cat = await sample("chelsea");
    await find(cat, "cat");
    expect((await find({ ...cat, contentHash: "another" }, "cat")).featuresCached).toBe(false);
  });

  it("works with nothing to remember in", async () => {
    const forgetful = await loadModel(await ensureBuiltin(), { threads: 2, featureCacheBytes: 0 });
    const request = { prompts: ["cat"], threshold: THRESHOLD, withFaint: false };
    await forgetful.segment(await sample("chelsea"), request);
    const { instances, featuresCached } = await forgetful.segment(await sample("chelsea"), request);
    await forgetful.close();
    expect([instances.length, featuresCached]).toEqual([1, false]);
  });
});
