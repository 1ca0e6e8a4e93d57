import { describe, expect, it } from "vitest";
import { drawingOf, DrawingContext } from "../../../src/integrations/label-studio/context.ts";
import { controlsFor, readInterface } from "../../../src/integrations/label-studio/interface.ts";
import { predictionOf } from "../../../src/integrations/label-studio/results.ts";
import { valueOf } from "../../../src/integrations/label-studio/value.ts";
import { encodeRle } from "@segmentation/masks";

const DATA = {
  image: "a.png",
  meta: { image: "b.png", "x.y": "c.png" },
  images: ["d.png", { url: "e.png" }],
  "direct.path": "f.png",
  grid: [[1, 2]],
};

describe("an attribute of a labeling interface", () => {
  it.each([
    ["$image", "a.png"],
    ["$meta.image", "b.png"],
    ["$images[0]", "d.png"],
    ["$images.0", "d.png"],
    ["$images[1].url", "e.png"],
    ["$grid[0][1]", 2],
    ["$direct.path", "f.png"],
    ["https://cdn.test/$meta.image", "https://cdn.test/b.png"],
    ["$image,$images[0]", "a.png,d.png"],
    ["plain", "plain"],
    ["$images", DATA.images],
  ])("%s means %j", (attribute, expected) => {
    expect(valueOf(attribute, DATA)).toEqual(expected);
  });

  it.each([
    "$none",
    "$meta.none",
    "$image.length",
    "$constructor",
    "$meta.__proto__",
    "$images[2]",
    "x/$none",
    "$",
  ])("%s names nothing outside the task's data", (attribute) => {
    expect(valueOf(attribute, DATA) ?? null).toBe(attribute === "$" ? "$" : null);
  });
});

const inside = (tags: string) => `<View><Image name="i" value="$meta.image"/>${tags}</View>`;
const labelsOf = (config: string, data: object) =>
  controlsFor(readInterface(config).controls, data).map(({ form, labels }) => [form, labels]);

describe("a labeling interface", () => {
  it("has fixed labels, the task's labels, or both", () => {
    const config =
      inside(`<BrushLabels name="b" toName="i" value="$meta.labels"><Label value="cup"/></BrushLabels>
      <RectangleLabels name="r" toName="i"><Label value="$best"/></RectangleLabels>`);
    const meta = { labels: [{ value: "spoon", background: "red" }, "fork", { value: "" }, null, 5] };
    expect(labelsOf(config, { meta, best: "plate" })).toEqual([
      ["brush", ["cup", "spoon", "fork"]],
      ["rectangle", ["plate"]],
    ]);
  });

  it("may have its labels in one tag, and its shapes in others", () => {
    const config = inside(`<Labels name="l" toName="i"><Label value="cup"/></Labels>
      <Rectangle name="r" toName="i"/><Polygon name="p" toName="i"/><Brush name="b" toName="i"/>`);
    expect(labelsOf(config, {})).toEqual([
      ["brush", ["cup"]],
      ["polygon", ["cup"]],
      ["rectangle", ["cup"]],
    ]);
    const data = Uint8Array.of(0, 255, 255, 0);
    const shape = { box: [1, 0, 1, 1] as const, area: 1, rle: encodeRle({ width: 2, height: 2, data }) };
    const found = {
      taskId: "t",
      size: { width: 2, height: 2 },
      previewKey: null,
      objects: [{ index: 0, by: { prompt: "cup" }, confidence: 0.9, maskKey: "m", shape }],
    };
    for (const control of controlsFor(readInterface(config).controls, {})) {
      const { result } = predictionOf(found, [control], null, "v");
      const types = result.map(({ type, from_name }) => [type, from_name]);
      expect(types.slice(0, 2)).toEqual([
        [control.form, control.name],
        ["labels", "l"],
      ]);
      const [first, second] = result;
      expect(second).toMatchObject({ id: first?.id, value: { ...first?.value, labels: ["cup"] } });
    }
  });

  it.each([
    [inside(`<BrushLabels name="b" toName="i"/>`), {}, /no labels.*<Label/],
    [inside(`<BrushLabels name="b" toName="i" value="$labels"/>`), {}, /"\$labels"/],
    [inside(`<BrushLabels name="b" toName="i" value="$labels"/>`), { labels: "cup" }, /"\$labels"/],
    [inside(`<Brush name="b" toName="i"/>`), {}, /BrushLabels/],
    [inside(`<Choices name="b" toName="i"/>`), {}, /BrushLabels/],
    [`<View><Image name="i" value="picture"/></View>`, {}, /<Image>/],
    [`<View><Image name="i"/></View>`, {}, /<Image>/],
  ])("%s is refused in the words of the interface", (config, data, expected) => {
    expect(() => labelsOf(config, data)).toThrow(expected);
  });

  it("gives each task objects of its labels only", () => {
    const config = inside(`<BrushLabels name="b" toName="i" value="$labels"/>`);
    const controls = controlsFor(readInterface(config).controls, { labels: ["cup"] });
    const shape = {
      box: [0, 0, 1, 1] as const,
      area: 1,
      rle: encodeRle({ width: 1, height: 1, data: Uint8Array.of(255) }),
    };
    const objects = ["cup", "spoon"].map((prompt, index) => ({
      index,
      by: { prompt },
      confidence: 1,
      maskKey: "m",
      shape,
    }));
    const found = { taskId: "t", size: { width: 1, height: 1 }, previewKey: null, objects };
    expect(predictionOf(found, controls, null, "v").result.map(({ value }) => value["brushlabels"])).toEqual([
      ["cup"],
    ]);
  });

  it("shows masks without labels under the label of a further result", () => {
    const size = { original_width: 100, original_height: 100 };
    const context = DrawingContext.parse({
      result: [
        { ...size, id: "a", type: "keypoint", value: { x: 1, y: 2, width: 0.3 } },
        { ...size, id: "a", type: "labels", value: { x: 1, y: 2, labels: ["cup"] } },
        { ...size, id: "b", type: "rectangle", value: { x: 1, y: 2, width: 3, height: 4 } },
      ],
    });
    expect(drawingOf(context)).toEqual({
      regions: [
        { points: [{ x: 1, y: 2, label: 1 }], picture: 0 },
        { box: [1, 2, 3, 4], picture: 0 },
      ],
      label: "cup",
    });
  });
});
