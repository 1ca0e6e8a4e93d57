import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadModel } from "../../../src/models/load.ts";
import type { Model } from "../../../src/models/model.ts";
import { find, tensorsOf } from "../../support/model-server/fake-model.ts";
import { type FakeServer, startPlayedServer } from "../../support/model-server/fake-model-server.ts";
import { ask, blue, expectOverlap, green, picture, red, redBelow, SIZE } from "../fixture-scene.ts";
import { type FolderChanges, fixtureFolder } from "./fixture-folder.ts";

let folder: string;
let server: FakeServer;
let model: Model | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kserve-"));
  server = await startPlayedServer();
});
afterEach(async () => {
  await model?.close();
  await server.close();
  await rm(folder, { recursive: true });
});

async function load(changes: FolderChanges = {}): Promise<Model> {
  model = await loadModel(await fixtureFolder(folder, server.origin, changes));
  server.seen.length = 0;
  return model;
}

const CLOSE = { box: 0.97, mask: 0.95 };

describe("each prompt finds its object, with its box and mask,", () => {
  it.each([
    ["in binary tensors", {}],
    ["in JSON, but for the masks", { json: ["boxes", "scores", "prompt_index"] }],
    ["in JSON alone", { json: ["boxes", "scores", "prompt_index", "masks"] }],
    ["in chunks whose borders lie anywhere", { chunk: 997 }],
  ])("%s", async (_, how) => {
    const loaded = await load({ objects: { most: 60 } });
    server.infer = (seen) => ({ ...find(seen), ...how });
    const { instances, unserved, modelMs } = await loaded.segment(
      picture,
      ask("blue", "red", "mauve", "green"),
    );
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 1, 1, 3]);
    for (const [i, [rectangle, score]] of (
      [
        [blue, 0.9],
        [red, 0.9],
        [redBelow, 0.7],
        [green, 0.9],
      ] as const
    ).entries())
      expectOverlap(instances[i], picture, rectangle, score, CLOSE);
    expect(unserved).toEqual([]);
    expect(modelMs).toBeGreaterThan(0);
  });

  it("in a picture that is shrunk on its way because the manifest allows fewer pixels", async () => {
    const loaded = await load({ image: { maxPixels: 57_600 } });
    const { instances } = await loaded.segment(picture, ask("red", "green"));
    const [sent] = server.seen;
    expect([sent?.width, sent?.height]).toEqual([320, 180]);
    for (const [i, rectangle] of [red, redBelow, green].entries())
      expectOverlap(instances[i], picture, rectangle, i === 1 ? 0.7 : 0.9, { box: 0.95, mask: 0.93 });
  });

  it("and nothing without objects", async () => {
    const loaded = await load();
    expect((await loaded.segment(picture, ask("mauve"))).instances).toEqual([]);
  });
});

describe("the request to the server", () => {
  it("is the picture, the prompts, the threshold and the picture's hash, for binary outputs", async () => {
    const loaded = await load({ server: { version: "1" } });
    const prompts = ["red", "ein größerer Hund", "犬"];
    await loaded.segment({ ...picture, contentHash: "0abc" }, { prompts, threshold: 0.45, withFaint: false });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ prompts, threshold: Math.fround(0.45), contentHash: "0abc" });
    expect(seen?.path).toBe("/v2/models/fixture/versions/1/infer");
    expect([seen?.width, seen?.height]).toEqual(SIZE);
    expect(Buffer.from(seen?.rgb ?? []).equals(Buffer.from(picture.rgb))).toBe(true);
    expect(seen?.binary).toEqual(["boxes", "scores", "prompt_index", "masks"]);
    expect(seen?.headers["authorization"]).toBeUndefined();
    // Otherwise Triton would compress the answer, whose length then has no bound.
    expect(seen?.headers["accept-encoding"]).toBe("identity");
  });

  it("has the task's key as its id, the lane as its priority, and the remaining time", async () => {
    const loaded = await load();
    for (const [priority, lane] of [
      [1, "interactive"],
      [2, "bulk"],
      [3, "trial"],
    ] as const) {
      const key = `job.task.${priority}`;
      await loaded.segment(picture, { ...ask("red"), task: { key, lane } });
      const parameters = { priority, timeout: 108_000_000 };
      expect(server.seen.at(-1)).toMatchObject({ id: key, parameters, contentHash: "" });
    }
  });

  it("has the bearer token, which the server may require", async () => {
    server.token = "sesame";
    await fixtureFolder(folder, server.origin);
    model = await loadModel(folder, { serverToken: "sesame" });
    expect((await model.segment(picture, ask("blue"))).instances).toHaveLength(1);
  });
});

describe("scores", () => {
  const scored = (...scores: number[]) => {
    server.infer = (seen) => ({
      tensors: tensorsOf(
        scores.map((score) => ({ promptIndex: 0, score, box: blue })),
        seen,
      ),
    });
  };

  it("are left out below the requested threshold, best first", async () => {
    const loaded = await load();
    scored(0.4, 0.6, 0.95);
    const { instances } = await loaded.segment(picture, ask("blue"));
    expect(instances.map(({ score }) => Math.round(100 * score))).toEqual([95, 60]);
  });

  it("that are faint are requested and marked only on request", async () => {
    const loaded = await load();
    scored(0.9, 0.2);
    const request = { prompts: ["blue"], threshold: 0 };
    const faint = await loaded.segment(picture, { ...request, withFaint: true });
    const plain = await loaded.segment(picture, { ...request, withFaint: false });
    expect(faint.instances.map(({ faint: isFaint }) => isFaint)).toEqual([false, true]);
    expect(plain.instances.map(({ faint: isFaint }) => isFaint)).toEqual([false]);
    expect(server.seen.map(({ threshold }) => threshold)).toEqual([0.05, 0.3].map(Math.fround));
  });

  it("that equal the threshold in 32 bits count", async () => {
    const loaded = await load();
    scored(0.45);
    const { instances } = await loaded.segment(picture, { ...ask("blue"), threshold: 0.45 });
    expect(instances).toHaveLength(1);
  });
});

describe("regions", () => {
  const drawing = (): void =>
    void server.metadata.inputs.push({ name: "clicks", datatype: "FP32", shape: [-1, 4] });
  const box = [blue[0], blue[1], blue[2], blue[3]] as const;
  const points = [
    { x: 100, y: 60, label: 1 },
    { x: 20, y: 20, label: 0 },
  ] as const;

  it("are drawn by a model with the input for them, in addition to words", async () => {
    drawing();
    const loaded = await load({ image: { maxPixels: 57_600 } });
    expect(loaded.drawsRegions).toBe(true);
    const regions = [{ box }, { points }];
    const { instances, regions: drawnRegions } = await loaded.segment(picture, { ...ask("red"), regions });
    const [sent] = server.seen;
    const scale = (sent?.width ?? 0) / picture.width;
    expect(sent?.clicks).toEqual([
      [0, box[0] * scale, box[1] * scale, 2],
      [0, box[2] * scale, box[3] * scale, 3],
      [1, 100 * scale, 60 * scale, 1],
      [1, 20 * scale, 20 * scale, 0],
    ]);
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 0]);
    const [region] = drawnRegions ?? [];
    expect(drawnRegions).toHaveLength(2);
    expect(region?.quality).toBeCloseTo(0.8);
    const area = (region?.mask.logits ?? new Float32Array()).filter((logit) => logit > 0).length / 288 ** 2;
    const whole = picture.width * picture.height;
    expect(area).toBeCloseTo(((box[2] - box[0]) * (box[3] - box[1])) / whole, 2);
  });

  it("are drawn without words, too", async () => {
    drawing();
    const loaded = await load();
    const { instances, regions } = await loaded.segment(picture, { ...ask(), regions: [{ box }] });
    expect([instances.length, regions?.length, server.seen[0]?.prompts]).toEqual([0, 1, []]);
  });

  it.each([
    ["none", [], "The region 0 has 0 objects instead of one."],
    ["two", [1, 1], "The region 0 has 2 objects instead of one."],
    ["that of another region", [2], "prompt_index[0] is 2 of 1 prompts and 1 regions."],
  ])("with %s for an answer are refused", async (_, answered, cause) => {
    drawing();
    const loaded = await load();
    const objects = answered.map((promptIndex) => ({ promptIndex, score: 0.9, box: blue }));
    server.infer = (seen) => ({ tensors: tensorsOf(objects, seen) });
    const asked = loaded.segment(picture, { ...ask("mauve"), regions: [{ box }] });
    await expect(asked).rejects.toMatchObject({ code: "model_output_invalid", cause });
  });

  it("are never sent to a model without that input", async () => {
    const loaded = await load();
    expect(loaded.drawsRegions).toBe(false);
    await loaded.segment(picture, ask("red"));
    expect(server.seen[0]?.clicks).toBeUndefined();
  });

  it("take an input of another form as a fault of the model", async () => {
    server.metadata.inputs.push({ name: "clicks", datatype: "FP32", shape: [-1, 3] });
    await expect(load()).rejects.toThrow(/The input "clicks" .* is FP32 \[-1, 3\]; .* FP32 \[-1, 4\]/);
  });
});
