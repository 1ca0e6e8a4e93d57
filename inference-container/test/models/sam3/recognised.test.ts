import { InferenceSession } from "onnxruntime-node";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type GraphNames,
  readTemplate,
  recogniseTemplate,
  type Template,
} from "../../../src/models/describe-folder.ts";
import type { Changes } from "./planted.ts";
import { graphsOf, type Layout, LAYOUTS, template } from "./planted-folder.ts";

let templates: Template[];
beforeAll(async () => {
  templates = await Promise.all(LAYOUTS.map(async (layout) => readTemplate(await template(layout))));
});

/** What ONNX Runtime reads from a layout's graphs, under other file names. */
async function namesOf(layout: Layout, changes: Changes = {}): Promise<GraphNames[]> {
  const names: GraphNames[] = [];
  for (const [file, bytes] of Object.entries(graphsOf(layout, { channels: 8, ...changes }))) {
    const session = await InferenceSession.create(bytes);
    names.push({ file: `my-${file}`, inputs: session.inputNames, outputs: session.outputNames });
    await session.release();
  }
  return names.toReversed();
}

describe.each(LAYOUTS)("an export of %s", (layout) => {
  it("is recognised by the names of its tensors, whatever its files are called", async () => {
    const found = recogniseTemplate(templates, await namesOf(layout));
    const original = readTemplate(await template(layout));
    expect(found?.["outputs"]).toEqual(original["outputs"]);
    expect(found?.graphs["decoder"]?.file).toBe(`my-${original.graphs["decoder"]?.file}`);
    expect(found?.files.map(({ name }) => name)).toEqual(
      original.files.map(({ name }) => (name.includes(".onnx") ? `my-${name}` : name)),
    );
  });

  it("is not recognised with a tensor of another name, or with a graph missing", async () => {
    const [renamed] = layout === "layout-b" ? ["input_ids"] : ["tokens"];
    const names = await namesOf(layout, { renamed: { [renamed ?? ""]: "words" } });
    expect(recogniseTemplate(templates, names)).toBeUndefined();
    expect(recogniseTemplate(templates, (await namesOf(layout)).slice(1))).toBeUndefined();
  });
});

describe("an export that nobody pruned", () => {
  it("is recognised all the same", async () => {
    const names = await namesOf("layout-a-pixels", { complete: "all" });
    expect(recogniseTemplate(templates, names)?.["absentBoxLabel"]).toBe(1);
  });
});
