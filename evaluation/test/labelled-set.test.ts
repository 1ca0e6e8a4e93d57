import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { labelledSet } from "../src/labelled-set.ts";
import { readSet } from "../src/read-set.ts";
import { Failure } from "../../scripts/shared/command-line.ts";

const square = [[0, 0, 2, 0, 2, 2, 0, 2]];
const image = { id: 7, file_name: "a.jpg", width: 4, height: 3 };
const annotation = { id: 1, image_id: 7, category_id: 2, segmentation: square };
const file = (changes: object = {}) => ({
  images: [image],
  categories: [{ id: 2, name: "cat" }],
  annotations: [annotation],
  ...changes,
});
const annotated = (changes: object) => file({ annotations: [{ ...annotation, ...changes }] });

describe("a file of labels", () => {
  it("returns pictures and categories by their ids, and objects with masks, areas and boxes", () => {
    const set = labelledSet(
      file({
        images: [{ ...image, id: 9, file_name: "b.jpg" }, image],
        categories: [
          { id: 3, name: "dog" },
          { id: 2, name: "cat" },
        ],
        annotations: [
          { ...annotation, bbox: [0, 0, 2, 2], area: 3.5 },
          {
            ...annotation,
            id: 2,
            image_id: 9,
            category_id: 3,
            iscrowd: 1,
            segmentation: { size: [3, 4], counts: [0, 6, 6] },
          },
        ],
      }),
      "labels.json",
    );
    expect(set.pictures.map((picture) => picture.file)).toEqual(["a.jpg", "b.jpg"]);
    expect(set.categories.map(({ name }) => name)).toEqual(["cat", "dog"]);
    expect(set.objects).toMatchObject([
      { picture: 0, category: 0, area: 3.5, crowd: false, box: [0, 0, 2, 2], mask: { area: 4 } },
      { picture: 1, category: 1, area: 6, crowd: true, box: null, mask: { area: 6 } },
    ]);
  });

  it.each([
    ["another list", [1, 2], 'labels.json is not a COCO file of instance labels: at ""'],
    ["results instead of labels", file({ annotations: undefined }), 'at "annotations"'],
    ["boxes alone", annotated({ segmentation: undefined }), 'at "annotations.0.segmentation"'],
    ["no picture", file({ images: [] }), "no image is listed"],
    [
      "an unknown picture",
      annotated({ image_id: 8 }),
      "The annotation 1 of labels.json is of the image 8, which is not listed.",
    ],
    ["an unknown category", annotated({ category_id: 8 }), "is of the category 8, which is not listed."],
    ["a picture twice", file({ images: [image, image] }), "labels.json lists the image 7 twice."],
    [
      "a mask of another size",
      annotated({ segmentation: { size: [4, 3], counts: [12] } }),
      "has a mask of 3 × 4 pixels, but its image has 4 × 3.",
    ],
    [
      "a broken mask",
      annotated({ segmentation: { size: [3, 4], counts: "5" } }),
      "has a broken mask. The runs of the mask have 5",
    ],
  ])("with %s is refused by a sentence", (_, json, sentence) => {
    expect(() => labelledSet(json, "labels.json")).toThrow(Failure);
    expect(() => labelledSet(json, "labels.json")).toThrow(sentence);
  });
});

describe("a set on disk", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "labels-"));
    await mkdir(join(folder, "pictures"));
    await writeFile(join(folder, "pictures", "a.jpg"), "");
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (text: string | null, pictures = "pictures") => {
    const labels = join(folder, `${crypto.randomUUID()}.json`);
    if (text !== null) await writeFile(labels, text);
    return await readSet(join(folder, pictures), labels);
  };

  it("has a file for each picture", async () => {
    const { set, pathOf } = await read(JSON.stringify(file()));
    expect(set.pictures.map((picture) => pathOf(picture.file))).toEqual([join(folder, "pictures", "a.jpg")]);
  });

  it.each([
    ["no file of labels", null, "pictures", "There is no file of labels at "],
    ["broken JSON", '{"images": [', "pictures", ".json is not JSON: "],
    ["no folder of pictures", JSON.stringify(file()), "photos", "There is no folder "],
    [
      "a picture missing",
      JSON.stringify(file({ images: [image, { ...image, id: 8, file_name: "b.jpg" }] })),
      "pictures",
      "lacks 1 of the 2 pictures that ",
    ],
    [
      "a picture outside the folder",
      JSON.stringify(file({ images: [{ ...image, file_name: "../a.jpg" }] })),
      "pictures",
      "which lies outside the folder of the pictures.",
    ],
  ])("with %s is refused by a sentence", async (_, text, pictures, sentence) => {
    await expect(read(text, pictures)).rejects.toThrow(sentence);
    await expect(read(text, pictures)).rejects.toThrow(Failure);
  });
});
