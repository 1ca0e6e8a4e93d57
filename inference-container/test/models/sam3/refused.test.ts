import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelFolderError } from "../../../src/models/errors.ts";
import { loadModel } from "../../../src/models/load.ts";
import { type FolderChanges, type Layout, LAYOUTS, plantedFolder, template } from "./planted-folder.ts";

let scratch: string;
let made = 0;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "sam3-refused-"));
});
afterAll(() => rm(scratch, { recursive: true }));

function folder(layout: Layout, changes: FolderChanges = {}): Promise<string> {
  made += 1;
  return plantedFolder(join(scratch, `${made}`), layout, changes);
}

async function refusal(path: string, options: { digests?: boolean } = {}): Promise<string> {
  const outcome: unknown = await loadModel(path, options).then(
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
      "layout-a-pixels",
      { renamed: { tokens: "ids" } },
      'sam3_language_encoder.onnx has no input "tokens" (the manifest\'s "ids"); its inputs are "ids".',
    ],
    [
      "layout-a-unit",
      { renamed: { backbone_fpn_2: "fpn_2" } },
      'sam3_decoder.onnx has no input "backbone_fpn_2"',
    ],
    [
      "layout-b",
      { renamed: { presence_logits: "presence" } },
      'geo-encoder-mask-decoder.onnx has no output "presence_logits"',
    ],
  ] as const)("in %s when it is renamed", async (layout, changes, message) => {
    expect(await refusal(await folder(layout, changes))).toContain(message);
  });

  it.each([
    [
      "layout-a-pixels",
      { retyped: { image: "float32" } },
      'The input "image" of sam3_image_encoder.onnx is float32 [3, 1008, 1008]; the manifest says uint8 [3, 1008, 1008].',
    ],
    ["layout-a-unit", { retyped: { masks: "bool" } }, 'The output "masks" of sam3_decoder.onnx is bool'],
    [
      "layout-b",
      { retyped: { attention_mask: "int32" } },
      'The input "attention_mask" of text-encoder.onnx is int32',
    ],
  ] as const)("in %s when its type is another", async (layout, changes, message) => {
    expect(await refusal(await folder(layout, changes))).toContain(message);
  });

  it.each([
    ["layout-a-pixels", { without: "scores" }, 'sam3_decoder.onnx has no output "scores"'],
    ["layout-a-unit", { without: "text_memory" }, 'sam3_language_encoder.onnx has no output "text_memory"'],
    ["layout-b", { without: "fpn_pos_2" }, 'vision-encoder.onnx has no output "fpn_pos_2"'],
  ] as const)("in %s when it is missing", async (layout, changes, message) => {
    expect(await refusal(await folder(layout, changes))).toContain(message);
  });

  it("when the decoder is of the other variant", async () => {
    const other = async (layout: Layout): Promise<FolderChanges> => {
      const { graphs } = await template(layout);
      return { manifest: () => ({ graphs: JSON.parse(JSON.stringify(graphs).replaceAll(/\b256\b/g, "8")) }) };
    };
    expect(await refusal(await folder("layout-a-pixels", await other("layout-a-unit")))).toContain(
      'requires an input "original_height" that the manifest doesn\'t name',
    );
    expect(await refusal(await folder("layout-a-unit", await other("layout-a-pixels")))).toContain(
      'sam3_decoder.onnx has no input "original_height"',
    );
  });

  it("when graphs of different precision are mixed", async () => {
    const mixed = {
      retyped: { text_memory: "float16" },
      ...within("graphs", ({ text }) => ({
        text: JSON.parse(JSON.stringify(text).replaceAll("float32", "float16")),
      })),
    } as const;
    expect(await refusal(await folder("layout-a-unit", mixed))).toBe(
      'The input "language_features" of sam3_decoder.onnx is float32, but "text_memory" of sam3_language_encoder.onnx, which feeds it, is float16: the graphs come from different exports.',
    );
  });

  it("when a tensor has a role that nobody knows", async () => {
    const odd = within("graphs", ({ decoder }) => ({
      decoder: JSON.parse(JSON.stringify(decoder).replace("fpn1", "feature")),
    }));
    expect(await refusal(await folder("layout-b", odd))).toBe(
      'The input "fpn_feat_1" of geo-encoder-mask-decoder.onnx has the role "feature" in the manifest, which no other graph provides.',
    );
  });

  it.each([
    [
      "layout-a-unit",
      { mask: "tokens" },
      '"text_attention_mask" of sam3_language_encoder.onnx is not true at the tokens of "red"',
    ],
    [
      "layout-a-unit",
      { pad: 49407 },
      '"text_attention_mask" of sam3_language_encoder.onnx is not true at the padding of "red", although the manifest says so for rows padded with 49407.',
    ],
    ["layout-b", { mask: "padding" }, '"text_mask" of text-encoder.onnx is not true at the padding of "red"'],
  ] as const)(
    "in %s when its mask does not mark what the manifest says: %o",
    async (layout, change, message) => {
      expect(
        await refusal(
          await folder(
            layout,
            within("text", () => change),
          ),
        ),
      ).toContain(message);
    },
  );
});

describe("the weights beside a graph", () => {
  const NAME = "sam3_decoder.onnx.data";
  const weights = (value: number): Uint8Array => new Uint8Array(Float32Array.of(value).buffer);
  const withWeights = (value: number): Promise<string> =>
    folder("layout-a-unit", { sidecar: NAME, files: { [NAME]: weights(value) } });

  it("are found at load, and count", async () => {
    await (await loadModel(await withWeights(1), { digests: true })).close();
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
    expect(await refusal(path, { digests: true })).toContain(`${NAME} in ${path} is damaged`);
    await truncate(join(path, NAME), 3);
    expect(await refusal(path)).toContain(`${NAME} in ${path} is 3 bytes long; the manifest says 4.`);
  });

  it("are refused by name when the manifest does not list them", async () => {
    const path = await folder("layout-a-unit", { sidecar: "own.data", files: { "own.data": weights(1) } });
    expect(await refusal(path)).toBe(`own.data in ${path} is not listed in the manifest's files.`);
  });
});

describe("a folder of the family is refused", () => {
  it.each(LAYOUTS)("when nothing was filled in in %s.json", async (layout) => {
    const path = await folder(layout);
    await writeFile(join(path, "manifest.json"), JSON.stringify(await template(layout)));
    expect(await refusal(path)).toContain('manifest.json is wrong at "files.0.size"');
  });

  it("when its manifest lists a file that is not there, or does not list one that it needs", async () => {
    const path = await folder("layout-b");
    await rm(join(path, "text-encoder.onnx"));
    expect(await refusal(path)).toContain("lacks the file text-encoder.onnx");
    const unlisted = within("text", () => ({ tokenizer: "vocab.json" }));
    expect(await refusal(await folder("layout-b", unlisted))).toContain("vocab.json is not listed");
  });

  it.each([
    ["score", { score: 0.5 }, "gave the score 0.9"],
    ["area", { area: 0.2 }, "gave a mask over 0.0"],
    ["box", { box: [0, 0, 40, 40] }, "gave the box [200, 160, 300, 220]"],
  ])("when its golden picture has another %s", async (_, change, message) => {
    const golden = within("golden", ({ instances }) => ({
      instances: Array.isArray(instances) ? [{ ...instances[0], ...change }] : [],
    }));
    expect(await refusal(await folder("layout-a-pixels", golden))).toContain(message);
  });
});
