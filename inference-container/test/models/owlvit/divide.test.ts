import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession, Tensor } from "../../../src/onnx/runtime.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { divideOwlvit } from "../../../src/models/owlvit/divide.ts";
import { cutPart } from "../../../src/onnx/graph-parts.ts";
import { seededExport } from "./export-folder.ts";

const PARTS = ["image-encoder.onnx", "text-encoder.onnx", "head.onnx"];
const SIDE = 768;
const CONTEXT = 16;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "divide-"));
  await writeFile(join(folder, "whole.onnx"), await seededExport("owlvit"));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(file: string, feeds: Record<string, Tensor>): Promise<Record<string, Tensor>> {
  const session = await InferenceSession.create(join(folder, file));
  const results = await session.run(feeds);
  await session.release();
  return Object.fromEntries(
    Object.entries(results).flatMap(([name, value]) => (value instanceof Tensor ? [[name, value]] : [])),
  );
}

function row(...words: number[]): Record<"input_ids" | "attention_mask", Tensor> {
  const ids = [49_406, ...words, 49_407];
  const values = (fill: (id: number) => number) =>
    BigInt64Array.from({ length: CONTEXT }, (_, i) => BigInt(i < ids.length ? fill(ids[i] ?? 0) : 0));
  const tensor = (data: BigInt64Array) => new Tensor("int64", data, [1, CONTEXT]);
  return { input_ids: tensor(values((id) => id)), attention_mask: tensor(values(() => 1)) };
}

describe("the parts of an export", () => {
  it("give the bits of the whole, without its weights", async () => {
    await divideOwlvit(folder, "whole.onnx");
    const pixels = Float32Array.from({ length: 3 * SIDE * SIDE }, (_, i) => 2 * Math.sin(0.37 * i));
    const pixel_values = new Tensor("float32", pixels, [1, 3, SIDE, SIDE]);
    const words = row(518, 2_368);
    const whole = await run("whole.onnx", { pixel_values, ...words });
    const image = await run("image-encoder.onnx", { pixel_values });
    const text = await run("text-encoder.onnx", words);
    const { pred_boxes, ...features } = image;
    const head = await run("head.onnx", { ...features, ...text, input_ids: words.input_ids });
    const together: Record<string, Tensor | undefined> = { ...features, pred_boxes, ...text, ...head };
    for (const [name, { data }] of Object.entries(whole)) expect(together[name]?.data, name).toEqual(data);
    const sizes = await Promise.all(PARTS.map(async (part) => (await readFile(join(folder, part))).length));
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });

  it("are the same whenever they are made", async () => {
    const bytes = async () => {
      await divideOwlvit(folder, "whole.onnx");
      return Promise.all(PARTS.map((part) => readFile(join(folder, part), "base64")));
    };
    expect(await bytes()).toEqual(await bytes());
  });

  it("name a value that the graph lacks, and refuse bytes that are no graph", async () => {
    const whole = await seededExport("owlvit");
    const cut = (inputs: string[], outputs: string[]) => () =>
      cutPart(whole, "whole.onnx", { inputs, outputs });
    expect(cut(["pixel_values"], ["logits"])).toThrow(
      'The graph does not compute "input_ids" from pixel_values.',
    );
    expect(cut(["pixel_values"], ["other"])).toThrow('The graph does not compute "other" from pixel_values.');
    expect(() => cutPart(whole.subarray(0, 5_000), "whole.onnx", { inputs: [], outputs: [] })).toThrow(
      "The file is not an ONNX graph.",
    );
  });
});
