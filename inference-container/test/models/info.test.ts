import { describe, expect, it } from "vitest";
import { infoOf } from "../../src/engine/load-on-provider.ts";
import type { Model } from "../../src/models/model.ts";

const model: Model = {
  id: "fixture",
  version: "1.0.0",
  family: "fixture",
  provider: "cpu",
  concurrency: 1,
  segment: () => Promise.reject(new Error("nobody asks it")),
  close: () => Promise.resolve(),
};
const about = { id: "fixture", version: "1.0.0", family: "fixture", provider: "cpu" };

const decoder = { name: "decoder.onnx", role: "graph", size: 17, sha256: "5a".repeat(32) };

describe("the service's description of a model", () => {
  it("describes a model of labels, and one of any phrase [A6-10]", () => {
    expect(infoOf(model)).toEqual({
      ...about,
      vocabulary: "open",
      attributes: true,
      regions: { box: false, points: false, clips: false, examples: false },
    });
    expect(
      infoOf({ ...model, labels: ["cat", "dog"], drawsRegions: true, followsRegions: true, decoder }),
    ).toEqual({
      ...about,
      vocabulary: ["cat", "dog"],
      attributes: false,
      regions: { box: true, points: true, clips: true, examples: false },
      decoder: { file: "decoder.onnx", sha256: "5a".repeat(32), bytes: 17 },
    });
  });
});
