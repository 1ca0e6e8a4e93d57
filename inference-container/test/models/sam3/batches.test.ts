import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../../src/device/usage.ts";
import { loadModel } from "../../../src/models/load.ts";
import type { Model, Picture, Segmentation } from "../../../src/models/model.ts";
import { ask, picture } from "../planted-scene.ts";
import { BLUE, GREEN, plantedFolder, scene, WHITE } from "./planted-folder.ts";

/** Runs asked for at once arrive within this time, however busy the machine is. */
const batches = { maxBatch: 4, batchDelayMs: 400 };

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "sam3-batches-"));
});
afterAll(() => rm(scratch, { recursive: true }));

/** Pictures of several sizes, one of them without an object. */
const pictures: Picture[] = [
  picture,
  scene([320, 240], [[WHITE, [200, 160, 300, 220]]]),
  scene(
    [500, 700],
    [
      [GREEN, [20, 30, 200, 300]],
      [BLUE, [300, 400, 480, 650]],
    ],
  ),
  scene([300, 300], []),
];
const prompts = [["red", "green"], ["blue"], ["a cat", "blue", "the green one"], ["red"]];

/** All properties of a picture's instances, with their masks by digest. */
function described({ instances }: Segmentation): object[] {
  return instances.map(({ mask, ...rest }) => {
    const logits = createHash("sha256").update(mask.logits).digest("hex");
    return { ...rest, mask: { ...mask, logits } };
  });
}

/** Segments every picture at once, and returns the most of them that had the device at the same time. */
async function together(model: Model): Promise<{ found: Segmentation[]; most: number }> {
  const inModel = new Set<number>();
  let most = 0;
  const found = pictures.map((one, i) => {
    const usage = new Usage(undefined, (stage) => {
      if (stage === "model") inModel.add(i);
      else inModel.delete(i);
      most = Math.max(most, inModel.size);
    });
    return model.segment(one, { ...ask(...(prompts[i] ?? [])), usage });
  });
  return { found: await Promise.all(found), most };
}

describe("an export that takes several pictures and prompts at once", () => {
  let model: Model;
  let alone: Model;
  beforeAll(async () => {
    const folder = await plantedFolder(join(scratch, "batches"), "layout-b");
    model = await loadModel(folder, batches);
    alone = await loadModel(folder, { ...batches, maxBatch: 1 });
  });
  afterAll(() => Promise.all([model.close(), alone.close()]));

  it("gives each picture exactly what it gives it alone", async () => {
    const all = await together(model);
    expect(all.most).toBe(pictures.length);
    const each: Segmentation[] = [];
    for (const [i, one] of pictures.entries())
      each.push(await alone.segment(one, ask(...(prompts[i] ?? []))));
    expect(all.found.map(described)).toEqual(each.map(described));
    expect(each.map(({ instances }) => instances.length)).toEqual([3, 1, 2, 0]);
  });

  it("gives each prompt of a picture exactly what it gives it alone", async () => {
    const words = ["a red one", "a green one", "a blue one", "nothing at all"];
    const known = { ...picture, contentHash: "known" };
    const all = await Promise.all(words.map((word) => model.segment(known, ask(word))));
    const each: Segmentation[] = [];
    for (const word of words) each.push(await alone.segment(picture, ask(word)));
    expect(all.map(described)).toEqual(each.map(described));
    expect(each.map(({ instances }) => instances.length)).toEqual([2, 1, 1, 0]);
  });

  it("takes them one by one where the service says so", async () => {
    expect((await together(alone)).most).toBe(1);
  });

  it("takes them one by one where its manifest says nothing", async () => {
    const manifest = (whole: Record<string, unknown>): object => ({
      graphs: JSON.parse(JSON.stringify(whole["graphs"]).replaceAll(/"maxBatch":\d+,/g, "")),
    });
    const folder = await plantedFolder(join(scratch, "silent"), "layout-b", { manifest });
    const silent = await loadModel(folder, batches);
    expect((await together(silent)).most).toBe(1);
    await silent.close();
  });
});

describe("an export in which a picture changes what is found in its neighbour", () => {
  it.each(["ReduceSum", "ReduceMax", "ReduceMean"] as const)("is refused: by %s", async (mixed) => {
    const folder = await plantedFolder(join(scratch, mixed), "layout-b", { mixed });
    await expect(loadModel(folder, batches)).rejects.toThrow(
      "with several pictures at once, failed its self-test",
    );
    const model = await loadModel(folder, { ...batches, maxBatch: 1 });
    expect((await model.segment(picture, ask("green"))).instances).toHaveLength(1);
    await model.close();
  });
});

describe("an export in which a prompt changes what its neighbour means", () => {
  it("is refused", async () => {
    const folder = await plantedFolder(join(scratch, "words"), "layout-b", { mixedWords: "ReduceMax" });
    await expect(loadModel(folder, batches)).rejects.toThrow(
      'text-encoder.onnx gives "red" different features beside other prompts than alone',
    );
    const model = await loadModel(folder, { ...batches, maxBatch: 1 });
    expect((await model.segment(picture, ask("green"))).instances).toHaveLength(1);
    await model.close();
  });
});
