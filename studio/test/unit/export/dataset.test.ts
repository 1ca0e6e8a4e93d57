import { load } from "js-yaml";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { make } from "../../../src/export/files/make.ts";
import { sample } from "../../../../test/support/media/sample.ts";
import { making, pictureOf, scopeOf, textsOf } from "../../support/entries.ts";

const file = (name: "coffee" | "chelsea") => new Blob([sample(name)], { type: "image/png" });
const PICTURES = [
  pictureOf("a.png", [{ label: "cup" }, { label: "cat & <dog>" }], { original: file("coffee") }),
  pictureOf("b.png", [{ label: "cup" }], { original: file("chelsea") }),
  pictureOf("c.png", [], { original: file("coffee") }),
  pictureOf("d.png", [], { original: file("coffee") }),
];
const split = { share: 0.2, seed: 1 };
const scope = async (options = {}) => await scopeOf(PICTURES, ["cup"], { options });

describe("a data set", () => {
  it("has the pictures under the names of their labels, if wanted", async () => {
    const paths = Object.keys(await textsOf("yolo", await scope({ hasImages: true })));
    expect(paths.toSorted()).toEqual([
      "data.yaml",
      ...["a", "b", "c", "d"].map((name) => `images/${name}.png`),
      ...["a", "b", "c", "d"].map((name) => `labels/${name}.txt`),
    ]);
  });

  it.each(["yolo", "semantic", "voc"] as const)("is split in folders, as %s", async (format) => {
    const paths = Object.keys(await textsOf(format, await scope({ hasImages: true, split })));
    const stems = (part: string, folder: string): string[] =>
      paths
        .filter((path) => path.startsWith(`${folder}/${part}/`))
        .map((path) => path.replace(/^.*\/|\.[a-z]+$/g, ""))
        .toSorted();
    const folder = { yolo: "labels", semantic: "semantic", voc: "voc" }[format];
    for (const part of ["train", "val"]) {
      expect(stems(part, folder).length).toBeGreaterThan(0);
      expect(stems(part, "images")).toEqual(stems(part, folder));
    }
    expect([...stems("train", folder), ...stems("val", folder)].toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("is two documents of COCO with the same classes, and a data.yaml that names the folders", async () => {
    const texts = await textsOf("coco", await scope({ split }));
    const documents = ["train", "val"].map((part) => JSON.parse(texts[`annotations/${part}.json`] ?? ""));
    expect(documents[0].categories).toEqual(documents[1].categories);
    expect(documents[0].images.length + documents[1].images.length).toBe(4);
    const { "data.yaml": yaml = "" } = await textsOf("yolo", await scope({ split }));
    expect(load(yaml)).toEqual({
      train: "images/train",
      val: "images/val",
      names: { 0: "cup", 1: "cat & <dog>" },
    });
  });

  it("has the classes' numbers at each pixel of semantic masks, and 0 elsewhere", async () => {
    const files = new Map(
      (await make("semantic", await scope(), making)).map(({ path, content }) => [path, content]),
    );
    const pixels = async (path: string) =>
      await sharp(await files.get(path)?.arrayBuffer())
        .toColourspace("b-w")
        .raw()
        .toBuffer({ resolveWithObject: true });
    const { data, info } = await pixels("semantic/a.png");
    expect(info).toMatchObject({ width: 24, height: 16, channels: 1 });
    expect([data[5], data[2 * 24 + 5], data[10 * 24 + 5]]).toEqual([1, 2, 0]);
    const empty = await pixels("semantic/c.png");
    expect(new Set(empty.data)).toEqual(new Set([0]));
    expect(JSON.parse((await files.get("semantic/legend.json")?.text()) ?? "")).toEqual({
      0: "background",
      1: "cup",
      2: "cat & <dog>",
    });
  });

  it("has the boxes of objects as Pascal VOC counts them, from 1 to the last pixel", async () => {
    const { "voc/a.xml": xml = "", "voc/c.xml": empty = "" } = await textsOf("voc", await scope());
    expect(xml).toContain("<bndbox><xmin>2</xmin><ymin>1</ymin><xmax>20</xmax><ymax>2</ymax></bndbox>");
    expect(xml).toContain("<name>cat &amp; &lt;dog&gt;</name>");
    expect(xml).toContain("<width>24</width><height>16</height>");
    expect(empty).not.toContain("<object>");
  });
});
