import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import sharp from "sharp";
import { type Stage, Usage } from "../../../src/device/usage.ts";
import { loadModel } from "../../../src/models/load.ts";
import type { Instance, Model, Picture } from "../../../src/models/model.ts";
import { ask, blue, expectOverlap, green, picture, red, redBelow, SIZE } from "../fixture-scene.ts";
import { fixtureFolder, quarterScore, RED, type Rectangle, scene, sigmoid } from "./fixture-folder.ts";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "sam3-"));
});
afterAll(() => rm(scratch, { recursive: true }));

function sha256(values: Float32Array): string {
  return createHash("sha256").update(values).digest("hex");
}

/** Compares up to the grid's resolution. */
function expectFound(found: Instance | undefined, of: Picture, rectangle: Rectangle, score: number): void {
  expectOverlap(found, of, rectangle, score, { box: 0.95, mask: 0.95 });
}

describe("SAM 3", () => {
  let folder: string;
  let model: Model;
  beforeAll(async () => {
    folder = await fixtureFolder(join(scratch, "whole"));
    model = await loadModel(folder);
  });
  afterAll(() => model.close());

  it("runs its golden picture on the device whenever it is asked to, and says what differs", async () => {
    const stages: Stage[] = [];
    await model.selfTest?.(new Usage(undefined, (stage) => stages.push(stage)));
    expect(stages).toContain("model");
    const golden = await readFile(join(folder, "golden.jpg"));
    onTestFinished(() => writeFile(join(folder, "golden.jpg"), golden));
    const { width, height, rgb } = scene([320, 240], []);
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toFile(join(folder, "golden.jpg"));
    await expect(model.selfTest?.(new Usage())).rejects.toThrow("failed its self-test");
  });

  it("finds each prompt's objects in a picture, best first, and nothing for other prompts", async () => {
    const { instances, unserved } = await model.segment(
      picture,
      ask("green", "a cat", "the red one", "blue"),
    );
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 2, 2, 3]);
    expect(unserved).toEqual([]);
    expectFound(instances[0], picture, green, quarterScore(0.5));
    expectFound(instances[1], picture, redBelow, quarterScore(0));
    expectFound(instances[2], picture, red, quarterScore(1.5));
    expectFound(instances[3], picture, blue, quarterScore(1));
  });

  it("returns the same for a prompt with", async () => {
    const found = await model.segment(picture, ask("red", "the red one over there", "RED"));
    const of = (prompt: number): object[] =>
      found.instances.flatMap(({ promptIndex, score, box, mask }) =>
        promptIndex === prompt ? [{ score, box, mask: sha256(mask.logits) }] : [],
      );
    expect(of(0)).toHaveLength(2);
    expect(of(1)).toEqual(of(0));
    expect(of(2)).toEqual(of(0));
  });

  it("encodes a picture once for any number of prompts and requests", async () => {
    const known = { ...picture, contentHash: "shown" };
    const first = await model.segment(known, ask("red"));
    expect([first.featuresCached, first.instances.length]).toEqual([false, 2]);
    // Other pixels under the same hash: the result shows that the model did not read them.
    const black = { ...known, rgb: new Uint8Array(picture.rgb.length) };
    const second = await model.segment(black, ask("green", "red"));
    expect([second.featuresCached, second.instances.length]).toEqual([true, 3]);
    expect(second.modelMs).toBeGreaterThan(0);
  });

  it("keeps nothing of a picture without a hash", async () => {
    const { featuresCached } = await model.segment(picture, ask("red"));
    expect(featuresCached).toBe(false);
    const black = { ...picture, rgb: new Uint8Array(picture.rgb.length) };
    expect((await model.segment(black, ask("red"))).instances).toEqual([]);
  });

  it("is served without a cache for features", async () => {
    const forgetful = await loadModel(folder, { featureCacheBytes: 0 });
    const known = { ...picture, contentHash: "known" };
    await forgetful.segment(known, ask("green"));
    const { featuresCached, instances } = await forgetful.segment(known, ask("green"));
    expect([featuresCached, instances.length]).toEqual([false, 1]);
    await forgetful.close();
  });

  it("keeps to the request's threshold", async () => {
    const threshold = (quarterScore(1.5) + quarterScore(0)) / 2;
    const { instances } = await model.segment(picture, { ...ask("red"), threshold });
    expect(instances.map(({ score }) => score > threshold)).toEqual([true]);
  });
});

describe("faint detections", () => {
  const faintScene = scene(SIZE, [
    [RED, red],
    // Barely brighter than nothing, in the quarter of the least certain query.
    [
      [130, 0, 0],
      [10, 160, 50, 175],
    ],
    [[160, 0, 0], redBelow],
  ]);
  const [strong, weak] = [quarterScore(1.5), sigmoid(4 * ((2 * 160) / 255 - 1)) * sigmoid(3)];

  it("is left out if it is too faint to begin a track, marked if it may continue one, never below the threshold", async () => {
    const manifest = (template: Record<string, unknown>): object => ({
      outputs: { ...Object(template["outputs"]), floor: 0.8, faintFloor: 0.6 },
    });
    const model = await loadModel(await fixtureFolder(join(scratch, "faint"), { manifest }));
    const scores = async (threshold: number, withFaint: boolean): Promise<[number, boolean][]> =>
      (await model.segment(faintScene, { prompts: ["red"], threshold, withFaint })).instances.map(
        ({ score, faint }) => [Number(score.toFixed(3)), faint],
      );
    const [first, second] = [Number(strong.toFixed(3)), Number(weak.toFixed(3))];
    expect(await scores(0, false)).toEqual([[first, false]]);
    expect(await scores(0, true)).toEqual([
      [first, false],
      [second, true],
    ]);
    expect(await scores(second + 0.01, true)).toEqual([[first, false]]);
    await model.close();
  });
});

describe("an export", () => {
  it("is served with the shapes of the one in use", async () => {
    const folder = await fixtureFolder(join(scratch, "full"), { channels: 256, queries: 200 });
    const model = await loadModel(folder);
    const [found] = (await model.segment(picture, ask("green"))).instances;
    expectFound(found, picture, green, quarterScore(0.5));
    await model.close();
  });

  it("is served in half precision", async () => {
    const halves = (template: Record<string, unknown>): object => ({
      graphs: JSON.parse(JSON.stringify(template["graphs"]).replaceAll('"float32"', '"float16"')),
    });
    const model = await loadModel(
      await fixtureFolder(join(scratch, "half"), { floats: "float16", manifest: halves }),
    );
    const { instances } = await model.segment(picture, ask("green", "red"));
    expect(instances).toHaveLength(3);
    expectFound(instances[0], picture, green, quarterScore(0.5));
    await model.close();
  });
});
