import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Device } from "../../src/device/device.ts";
import { BuiltinManifest } from "../../src/models/builtin/manifest.ts";
import { OnnxGraph } from "../../src/onnx/graph-writer.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { readManifest } from "../../src/models/folder.ts";
import { Graph } from "../../src/models/graph.ts";
import { loadModel } from "../../src/models/load.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import type { SessionOptions } from "../../src/device/messages.ts";
import type { GraphSpec, TensorSpec } from "../../src/models/manifest.ts";

const DOWNLOAD_MS = 600_000;

let whole: string;
let manifest: BuiltinManifest;
let scratch: string;
let made = 0;

beforeAll(async () => {
  whole = await ensureBuiltin();
  manifest = await readManifest(whole, BuiltinManifest);
  scratch = await mkdtemp(join(tmpdir(), "model-folder-"));
}, DOWNLOAD_MS);
afterAll(() => rm(scratch, { recursive: true }));

/** Large files whose digests would take a second for each folder. */
const LARGE_BYTES = 5_000_000;

/** A copy of the complete folder with another manifest, which lists no large file by default. */
async function folderWith(changed: object): Promise<string> {
  made += 1;
  const folder = join(scratch, `${made}`);
  await mkdir(folder);
  for (const { name } of manifest.files) await symlink(join(whole, name), join(folder, name));
  const files = manifest.files.filter(({ size }) => size < LARGE_BYTES);
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ ...manifest, files, ...changed }));
  return folder;
}

function textGraph(change: Partial<TensorSpec>): object {
  const { text } = manifest.graphs;
  const inputs = text.inputs.map((tensor) => (tensor.role === "ids" ? { ...tensor, ...change } : tensor));
  return { graphs: { ...manifest.graphs, text: { ...text, inputs } } };
}

describe("a model folder is refused", () => {
  it("when it is not there", async () => {
    await expect(loadModel(join(scratch, "nothing"))).rejects.toThrow(
      `There is no model in ${join(scratch, "nothing")}: it has no manifest.json.`,
    );
  });

  it("when its manifest is not JSON, or lacks something", async () => {
    const folder = await folderWith({ version: "newest" });
    await expect(loadModel(folder)).rejects.toThrow('manifest.json is wrong at "version"');
    await writeFile(join(folder, "manifest.json"), "{");
    await expect(loadModel(folder)).rejects.toThrow("manifest.json is not JSON");
  });

  it("when its family is unknown", async () => {
    await expect(loadModel(await folderWith({ family: "oracle" }))).rejects.toThrow(
      'is of the family "oracle"; the families here are: builtin, grounding-dino-sam2, kserve, owlvit-sam2, rf-detr-seg, sam3.',
    );
  });

  it("when its family rejects the manifest", async () => {
    await expect(loadModel(await folderWith({ detection: { floor: 2 } }))).rejects.toThrow(
      'manifest.json is wrong at "detection.floor"',
    );
  });

  it("when a file is missing", async () => {
    const folder = await folderWith({});
    await rm(join(folder, "nouns.tsv"));
    await expect(loadModel(folder)).rejects.toThrow("lacks the file nouns.tsv.");
  });

  it("when a file is cut short", async () => {
    const files = manifest.files.filter(({ name }) => name === "minilm.onnx");
    const folder = await folderWith({ files });
    await rm(join(folder, "minilm.onnx"));
    await writeFile(join(folder, "minilm.onnx"), "half");
    await expect(loadModel(folder)).rejects.toThrow(
      /minilm\.onnx in .* is 4 bytes long; the manifest says 22972370\./,
    );
  });

  it("when a word of a file was changed, but not its size", async () => {
    const folder = await folderWith({});
    const path = join(folder, "nouns.tsv");
    await rm(path);
    await copyFile(join(whole, "nouns.tsv"), path);
    await writeFile(path, (await readFile(path, "utf8")).replace("\ndog\t", "\ncat\t"));
    await expect(loadModel(folder)).rejects.toThrow(
      `nouns.tsv in ${folder} is damaged: its SHA-256 is not the manifest's.`,
    );
  });

  it("when a graph's input has another name than the manifest says", async () => {
    await expect(loadModel(await folderWith(textGraph({ name: "tokens" })))).rejects.toThrow(
      'The graph minilm.onnx has no input "tokens" (the manifest\'s "ids"); its inputs are "input_ids", "attention_mask", "token_type_ids".',
    );
  });

  it("when a graph's input has another type or shape", async () => {
    await expect(loadModel(await folderWith(textGraph({ dtype: "float32" })))).rejects.toThrow(
      'The input "input_ids" of minilm.onnx is int64 [batch_size, sequence_length]; the manifest says float32 [batch, tokens].',
    );
    await expect(loadModel(await folderWith(textGraph({ shape: ["batch", "tokens", 2] })))).rejects.toThrow(
      "the manifest says int64 [batch, tokens, 2].",
    );
  });

  it("when it misses the golden picture's objects", async () => {
    const [cat] = manifest.golden.instances;
    const golden = { ...manifest.golden, instances: [{ ...cat, box: [0, 0, 40, 40] }] };
    await expect(loadModel(await folderWith({ golden }))).rejects.toThrow(
      /failed its self-test: "cat" on golden\.jpg gave the box \[\d+, \d+, [23]\d\d, 2\d\d] instead of \[0, 0, 40, 40]\./,
    );
  });
});

describe("a graph is refused", () => {
  const load = (spec: GraphSpec, options: Partial<SessionOptions> = {}): Promise<Graph> =>
    Graph.load(device, scratch, spec, { ...DEFAULT_LOAD_OPTIONS, ...options });
  const device = new Device();
  afterAll(() => device.close());
  const tensor = (name: string, shape: number[]): TensorSpec => ({
    role: name,
    name,
    dtype: "float32",
    shape,
  });

  async function doubling(output: string): Promise<void> {
    const graph = new OnnxGraph();
    const input = graph.input("x", [1, 2]);
    graph.node("Add", [input, input], {}, output);
    graph.output(output, [1, 2]);
    await writeFile(join(scratch, "doubling.onnx"), graph.file("doubling"));
  }

  it("when an output was renamed, and not when it is the one named", async () => {
    const spec = {
      file: "doubling.onnx",

      inputs: [tensor("x", [1, 2])],
      outputs: [tensor("y", [1, 2])],
    };
    await doubling("y");
    expect((await load(spec)).outputs).toEqual(spec.outputs);
    await doubling("z");
    await expect(load(spec)).rejects.toThrow(
      'The graph doubling.onnx has no output "y" (the manifest\'s "y"); its outputs are "z".',
    );
  });

  it("when it wants an input that the manifest does not name", async () => {
    const graph = new OnnxGraph();
    graph.node("Add", [graph.input("x", [1]), graph.input("extra", [1])], {}, "y");
    graph.output("y", [1]);
    await writeFile(join(scratch, "sum.onnx"), graph.file("sum"));
    const spec = { file: "sum.onnx", inputs: [tensor("x", [1])], outputs: [tensor("y", [1])] };
    await expect(load(spec)).rejects.toThrow('requires an input "extra"');
  });

  it("when nodes of it would run on the CPU, and not when they may", async () => {
    // All nodes run on the CPU: no other provider is available everywhere.
    const spec = { file: "doubling.onnx", inputs: [tensor("x", [1, 2])], outputs: [tensor("y", [1, 2])] };
    await doubling("y");
    await expect(load(spec, { cpuNodes: false })).rejects.toThrow(
      /doubling\.onnx .* nodes that are assigned to the default CPU EP/,
    );
    await load(spec, { cpuNodes: true });
  });

  it("when its file is no graph", async () => {
    await writeFile(join(scratch, "text.onnx"), "no graph at all");
    const spec = { file: "text.onnx", inputs: [tensor("x", [1])], outputs: [tensor("y", [1])] };
    await expect(load(spec)).rejects.toThrow('The graph text.onnx can\'t be loaded on the provider "cpu"');
  });
});
