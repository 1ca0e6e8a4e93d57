import { readFile } from "node:fs/promises";
import { at } from "../../../../test/support/at.ts";
import { InferenceSession } from "../../../src/onnx/runtime.ts";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type GraphNames,
  readTemplate,
  readTemplates,
  recogniseTemplate,
  type Template,
} from "../../../src/models/describe-folder.ts";
import { template as dinoTemplate } from "../grounding-dino/fixture.ts";
import type { Changes } from "./fixture.ts";
import { template } from "./fixture-folder.ts";
import { fixtureGraphs } from "./fixture-graphs.ts";

let original: Template;
let templates: Template[];
beforeAll(async () => {
  original = readTemplate(await template());
  templates = [readTemplate(await dinoTemplate()), original];
});

/** The names that ONNX Runtime reads from the graphs, under other file names. */
async function namesOf(changes: Changes = {}): Promise<GraphNames[]> {
  const names: GraphNames[] = [];
  for (const [file, bytes] of Object.entries(fixtureGraphs({ channels: 8, ...changes }))) {
    const session = await InferenceSession.create(bytes);
    names.push({ file: `my-${file}`, inputs: session.inputNames, outputs: session.outputNames });
    await session.release();
  }
  return names.toReversed();
}

describe("an export", () => {
  it("is recognized by the names of its tensors, with any file names", async () => {
    const found = recogniseTemplate(templates, await namesOf());
    expect(found?.["outputs"]).toEqual(original["outputs"]);
    expect(found?.graphs["decoder"]?.file).toBe(`my-${original.graphs["decoder"]?.file}`);
    expect(found?.files.map(({ name }) => name)).toEqual(
      original.files.map(({ name }) => (name.includes(".onnx") ? `my-${name}` : name)),
    );
  });

  it("with a decoder of regions is recognized by all its graphs, and without the features for it by the others", async () => {
    const folder = new URL("../../../models/sam3/", import.meta.url);
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(new URL(name, folder), "utf8"));
    const names = ["usls.json", "regions.json"];
    const found = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
    const all = [...readTemplates(new Map(found)).values()];
    const graphs = Object.values(at(all, 1).graphs).map(({ file, inputs, outputs }): GraphNames => ({
      file,
      inputs: inputs.map(({ name }) => name),
      outputs: outputs.map(({ name }) => name),
    }));
    expect(recogniseTemplate(all, graphs)?.graphs).toHaveProperty("regions");
    const others = await namesOf();
    expect(recogniseTemplate(all, [...others, at(graphs, 3)])?.graphs).not.toHaveProperty("regions");
  });

  it("is not recognized with a tensor of another name, or with a graph missing", async () => {
    expect(recogniseTemplate(templates, await namesOf({ renamed: { input_ids: "words" } }))).toBeUndefined();
    expect(recogniseTemplate(templates, (await namesOf()).slice(1))).toBeUndefined();
  });
});
