import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelFolderError } from "../../../src/models/errors.ts";
import { loadModel } from "../../../src/models/load.ts";
import { type FolderChanges, fixtureFolder, template } from "./fixture-folder.ts";
import { fixtureGraphs } from "./fixture-graphs.ts";

let scratch: string;
let made = 0;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "sam3-refused-"));
});
afterAll(() => rm(scratch, { recursive: true }));

function folder(changes: FolderChanges = {}): Promise<string> {
  made += 1;
  return fixtureFolder(join(scratch, `${made}`), changes);
}

async function refusal(path: string): Promise<string> {
  const outcome: unknown = await loadModel(path).then(
    (model) => model.close(),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ModelFolderError);
  return outcome instanceof ModelFolderError ? outcome.message : "";
}

type Part = Readonly<Record<string, unknown>>;
/** A manifest with some fields of one part changed. */
function within(part: string, change: (old: Part) => Part): FolderChanges {
  return { manifest: (whole) => ({ [part]: { ...Object(whole[part]), ...change(Object(whole[part])) } }) };
}

describe("an export is refused by the name of the tensor", () => {
  it.each([
    [
      "is renamed",
      { renamed: { input_ids: "ids" } },
      'text-encoder.onnx has no input "input_ids" (the manifest\'s "ids"); its inputs are "ids", "attention_mask".',
    ],
    [
      "has another type",
      { retyped: { attention_mask: "int32" } },
      'The input "attention_mask" of text-encoder.onnx is int32 [batch, 32]; the manifest says int64 [batch, 32].',
    ],
    ["is missing", { without: "fpn_pos_2" }, 'vision-encoder.onnx has no output "fpn_pos_2"'],
  ] as const)("when it %s", async (_, changes, message) => {
    expect(await refusal(await folder(changes))).toContain(message);
  });

  it("when graphs of different precision are mixed", async () => {
    const halves = fixtureGraphs({ channels: 8, floats: "float16" });
    const mixed = {
      files: { "text-encoder.onnx": halves["text-encoder.onnx"] ?? "" },
      ...within("graphs", ({ text }) => ({
        text: JSON.parse(JSON.stringify(text).replaceAll("float32", "float16")),
      })),
    } as const;
    expect(await refusal(await folder(mixed))).toBe(
      'The input "text_features" of geo-encoder-mask-decoder.onnx is float32, but "text_features" of text-encoder.onnx, which feeds it, is float16: the graphs come from different exports.',
    );
  });

  it("when a tensor has an unknown role", async () => {
    const odd = within("graphs", ({ decoder }) => ({
      decoder: JSON.parse(JSON.stringify(decoder).replace("fpn1", "feature")),
    }));
    expect(await refusal(await folder(odd))).toBe(
      'The input "fpn_feat_1" of geo-encoder-mask-decoder.onnx has the role "feature" in the manifest, which no other graph provides.',
    );
  });

  it("when its mask does not mark the tokens of a prompt", async () => {
    const unmasked = { maskless: true };
    expect(await refusal(await folder(unmasked))).toContain(
      'The output "text_mask" of text-encoder.onnx is not true at the tokens of "red" alone, in a row padded with 49407.',
    );
  });
});

describe("the weights beside a graph", () => {
  const NAME = "geo-encoder-mask-decoder.onnx.data";
  const weights = (value: number): Uint8Array => new Uint8Array(Float32Array.of(value).buffer);
  const withWeights = (value: number): Promise<string> =>
    folder({ sidecar: NAME, files: { [NAME]: weights(value) } });

  it("are found at load, and count", async () => {
    await (await loadModel(await withWeights(1))).close();
    expect(await refusal(await withWeights(0.5))).toContain("failed its self-test");
  });

  it("are missed by name", async () => {
    const path = await withWeights(1);
    await rm(join(path, NAME));
    expect(await refusal(path)).toBe(`The model folder ${path} lacks the file ${NAME}.`);
  });

  it("are refused by name when they were cut short or changed", async () => {
    const path = await withWeights(1);
    await writeFile(join(path, NAME), weights(2));
    expect(await refusal(path)).toContain(`${NAME} in ${path} is damaged`);
    await truncate(join(path, NAME), 3);
    expect(await refusal(path)).toContain(`${NAME} in ${path} is 3 bytes long; the manifest says 4.`);
  });

  it("are refused by name when the manifest does not list them", async () => {
    const path = await folder({ sidecar: "own.data", files: { "own.data": weights(1) } });
    expect(await refusal(path)).toBe(`own.data in ${path} is not listed in the manifest's files.`);
  });
});

describe("a folder of the family is refused", () => {
  it("when usls.json is not filled in", async () => {
    const path = await folder();
    await writeFile(join(path, "manifest.json"), JSON.stringify(await template()));
    expect(await refusal(path)).toContain('manifest.json is wrong at "files.0.size"');
  });

  it("when its manifest lists a missing file, or lacks a needed one", async () => {
    const path = await folder();
    await rm(join(path, "text-encoder.onnx"));
    expect(await refusal(path)).toContain("lacks the file text-encoder.onnx");
    const unlisted = within("text", () => ({ tokenizer: "vocab.json" }));
    expect(await refusal(await folder(unlisted))).toContain("vocab.json is not listed");
  });

  it.each([
    ["score", { score: 0.5 }, "gave the score 0.9"],
    ["area", { area: 0.2 }, "gave a mask over 0.0"],
    ["box", { box: [0, 0, 40, 40] }, "gave the box [200, 160, 300, 220]"],
  ])("when its golden picture has another %s", async (_, change, message) => {
    const golden = within("golden", ({ instances }) => ({
      instances: Array.isArray(instances) ? [{ ...instances[0], ...change }] : [],
    }));
    expect(await refusal(await folder(golden))).toContain(message);
  });
});
