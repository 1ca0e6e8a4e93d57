import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeHub } from "../../../../inference-container/test/support/fake-hub.ts";
import { FAMILIES } from "../../../../inference-container/src/models/families.ts";
import { CATALOGUE } from "../../../../scripts/models/install/catalogue.ts";
import { hubOf } from "../../../../scripts/models/install/hub.ts";
import { listLines } from "../../../../scripts/models/print.ts";
import { planFromCatalogue } from "../../../../scripts/models/install/plan.ts";

const GRAPH = Buffer.from("graph");
const TOKENIZER = Buffer.from("{}");

let hub: FakeHub;

beforeEach(async () => {
  hub = await FakeHub.start({});
  vi.stubEnv("HF_ENDPOINT", hub.url);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await hub[Symbol.asyncDispose]();
});

describe("the catalog", () => {
  it.each([
    ["owlvit-base", "google/owlvit-base-patch32", "Xenova/owlvit-base-patch32"],
    ["owlv2-base", "google/owlv2-base-patch16-ensemble", "Xenova/owlv2-base-patch16-ensemble"],
  ])("has %s, of %s, from %s", async (name, of, repository) => {
    hub.files[repository] = { "onnx/model.onnx": GRAPH, "tokenizer.json": TOKENIZER };
    const { licences, downloads, embedded } = await planFromCatalogue(name, hubOf(process.env), CATALOGUE);
    expect(licences).toEqual([`${of} is under the Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0`]);
    const commit = expect.stringMatching(/^c0ffee/);
    expect(downloads).toMatchObject([
      { name: `${name}.onnx`, source: { repository, commit, path: "onnx/model.onnx" } },
      { name: "tokenizer.json", source: { repository, commit, path: "tokenizer.json" } },
    ]);
    expect(embedded).toContain("sam2-encoder.onnx");
  });

  it("has RF-DETR Seg, of its package's own export, with the embedded model's words", async () => {
    hub.files["besit/rfdetr-onnx"] = { "rfdetr-seg-nano.onnx": GRAPH };
    const plan = await planFromCatalogue("rf-detr-seg-nano", hubOf(process.env), CATALOGUE);
    expect(plan.licences).toEqual([
      "RF-DETR Seg nano, by Roboflow, is under the Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0",
    ]);
    expect(plan.downloads).toMatchObject([
      { name: "rf-detr-seg.onnx", source: { path: "rfdetr-seg-nano.onnx" } },
    ]);
    expect([...plan.own.keys()]).toContain("embedded.json");
    expect(plan.embedded).toContain("minilm.onnx");
  });

  it("begins with the best published model for words", () => {
    const rated = CATALOGUE.flatMap(({ cgF1 }) => (cgF1 === undefined ? [] : [cgF1]));
    expect(CATALOGUE[0]?.cgF1).toBe(Math.max(...rated));
    expect(listLines("/models", [], []).join("\n")).toContain(
      "To install: owlv2-base (Apache-2.0, about 615 MB, published cgF1 17.27); owlvit-base",
    );
  });

  it("names families that can be loaded", () => {
    for (const { family } of CATALOGUE) expect([...FAMILIES.keys()]).toContain(family);
  });

  it("is asked at Hugging Face, unless HF_ENDPOINT says otherwise", () => {
    expect(hubOf({}).address).toBe("https://huggingface.co");
    expect(hubOf({ HF_ENDPOINT: "https://mirror.example/hf/" }).address).toBe("https://mirror.example/hf");
  });
});
