import type { ModelDescription } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { fittest, unionOf } from "../../../src/models/rules/serves.ts";
import { aModel } from "../../support/a-model.ts";
import { aTask } from "../../support/a-task.ts";

const NONE = aModel().regions;
const BOX = { index: 0, box: [0, 0, 1, 1] } as const;
const POINT = { index: 0, points: [{ x: 0, y: 0, label: 1 }] } as const;
const EXAMPLE = { ...BOX, findAll: true } as const;

const PERSON = { ...aTask("key"), prompts: ["person"] };
const CLIP = { ...PERSON, type: "video" } as const;

const regions = (able: Partial<ModelDescription["regions"]>) => ({ regions: { ...NONE, ...able } });
const video = (changes: Partial<ModelDescription> = {}) => ({
  capabilities: { types: ["video" as const], preview: false },
  ...changes,
});

describe("the pools for a task", () => {
  it.each<readonly [string, object, Partial<ModelDescription>, Partial<ModelDescription>]>([
    ["its type", CLIP, video(), {}],
    ["a label", { prompts: [" Person "] }, {}, { vocabulary: ["car"] }],
    ["all of its labels", { prompts: ["person", "car"] }, { vocabulary: ["car", "person"] }, {}],
    ["any phrase", { prompts: ["red car"] }, { vocabulary: "open" }, {}],
    ["boxes", { regions: [BOX] }, regions({ box: true }), regions({ points: true, clips: true })],
    ["points", { regions: [POINT] }, regions({ points: true }), regions({ box: true, examples: true })],
    ["every region", { regions: [BOX, POINT] }, regions({ box: true, points: true }), regions({ box: true })],
    ["examples", { regions: [EXAMPLE] }, regions({ examples: true }), regions({ box: true, points: true })],
    [
      "regions of videos",
      { ...CLIP, regions: [BOX] },
      video(regions({ box: true, clips: true })),
      video(regions({ box: true })),
    ],
    ["videos without regions", { ...CLIP, regions: [] }, video(), regions({ clips: true })],
    [
      "all of its formats",
      { formats: { wanted: ["coco", "yolo"] } },
      { formats: ["yolo", "coco"] },
      { formats: ["coco"] },
    ],
  ])("are those with %s", (_, task, able, unable) => {
    const states = [{ model: aModel(unable) }, { model: aModel(able) }];
    expect(fittest(states, { ...PERSON, ...task })).toEqual(states.slice(1));
  });

  it("are those that lack only words, else all", () => {
    const unknown = { model: null };
    const [drawing, plain] = [{ model: aModel(regions({ box: true })) }, { model: aModel() }];
    const asked: object = { prompts: ["cat"], regions: [BOX] };
    const task = { ...PERSON, ...asked };
    expect(fittest([plain, drawing, unknown], task)).toEqual([drawing, unknown]);
    expect(fittest([plain], task)).toEqual([plain]);
    expect(fittest([unknown, plain], PERSON)).toEqual([plain]);
    expect(fittest([], task)).toEqual([]);
  });
});

describe("several models as one", () => {
  const decoder = { sha256: "a".repeat(64), bytes: 1 };
  const able = aModel({
    id: "able",
    version: "2.0.0",
    family: "sam2",
    provider: "cuda",
    vocabulary: ["person", "car"],
    attributes: true,
    regions: { box: true, points: true, clips: true, examples: true },
    formats: ["coco"],
    capabilities: { types: ["image", "video"], preview: true },
  });

  it("have the names of all and the abilities of any", () => {
    const both = {
      ...able,
      id: "model+able",
      version: "1.0.0+2.0.0",
      family: "builtin+sam2",
      provider: "cpu+cuda",
    };
    expect(unionOf([aModel(), able])).toEqual(both);
    expect(unionOf([aModel(), aModel()])).toEqual(aModel());
  });

  it("find any phrase if one does", () => {
    expect(unionOf([aModel(), aModel({ vocabulary: "open" })]).vocabulary).toBe("open");
  });

  it("have the decoder of all that return embeddings", () => {
    const other = { ...decoder, sha256: "b".repeat(64) };
    expect(unionOf([aModel(), aModel({ decoder }), aModel({ decoder })])).toHaveProperty("decoder", decoder);
    expect(unionOf([aModel({ decoder }), aModel()])).toHaveProperty("decoder", decoder);
    for (const models of [
      [aModel(), aModel()],
      [aModel({ decoder }), aModel({ decoder }), aModel({ decoder: other })],
    ] as const)
      expect(unionOf(models)).not.toHaveProperty("decoder");
  });
});
