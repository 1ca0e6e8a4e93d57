import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadModel } from "../../../src/models/load.ts";
import type { Model } from "../../../src/models/model.ts";
import { tensorsOf } from "../../support/model-server/fake-model.ts";
import { type FakeServer, startPlayedServer } from "../../support/model-server/fake-model-server.ts";
import { ask, blue, picture } from "../fixture-scene.ts";
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
