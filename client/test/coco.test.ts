import fc from "fast-check";
import { decodeRle, mergeCoco, type CocoDocument } from "segmentation-client/masks";
import { describe, expect, it } from "vitest";
import { memoryClient, picture } from "./support/memory-client.ts";

/**
 * Checks the properties that a reader of COCO relies on: unique ids, valid references, and figures that match the
 * pixels.
 */
function checkCoco({ images, categories, annotations }: CocoDocument): void {
  for (const list of [images, categories, annotations])
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  const sizes = new Map(images.map(({ id, width, height }) => [id, [height, width]]));
  for (const { image_id, category_id, segmentation, area, bbox } of annotations) {
    expect(segmentation.size).toEqual(sizes.get(image_id));
    expect(categories.some(({ id }) => id === category_id)).toBe(true);
    const { width, data } = decodeRle(segmentation);
    const set = [...data.keys()].filter((i) => data[i]);
    const [xs, ys] = [set.map((i) => i % width), set.map((i) => Math.floor(i / width))];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    expect([area, bbox]).toEqual([
      set.length,
      [left, top, Math.max(...xs) + 1 - left, Math.max(...ys) + 1 - top],
    ]);
  }
}

describe("COCO", () => {
  it("documents of ten jobs become one, with the figures of the masks", async () => {
    const { client } = memoryClient();
    const prompts = ["cup", "spoon", "cat"];
    const documents = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const files = [2 * i, 2 * i + 1].map((number) => new File([picture(number)], `${number}.png`));
        return await (await client.segment(files, [prompts[i % 3] ?? "", "dog"])).coco();
      }),
    );
    const merged = mergeCoco(documents);
    checkCoco(merged);
    expect(merged.images.map((image) => image.file_name)).toEqual(
      Array.from({ length: 20 }, (_, i) => `${i}.png`),
    );
    expect(merged.categories.map(({ name }) => name)).toEqual(["cup", "dog", "spoon", "cat"]);
    expect(merged.annotations).toHaveLength(40);
    for (const [i, { category_id, image_id }] of merged.annotations.entries()) {
      const category = merged.categories.find(({ id }) => id === category_id)?.name;
      expect([image_id, category]).toEqual([
        Math.floor(i / 2) + 1,
        i % 2 === 1 ? "dog" : prompts[Math.floor(i / 4) % 3],
      ]);
    }
  });

  it("keeps the ids of known categories, and gives others the next ones", () => {
    const of = (name: string): CocoDocument => ({
      images: [],
      categories: [{ id: 1, name }],
      annotations: [],
    });
    const known = [
      { id: 4, name: "cup" },
      { id: 2, name: "cat" },
    ];
    expect(mergeCoco([of("dog"), of("cup"), of("cow")], known).categories).toEqual([
      ...known,
      { id: 5, name: "dog" },
      { id: 6, name: "cow" },
    ]);
  });

  it("leaves out a picture without masks, since nothing states its size", async () => {
    const { client } = memoryClient();
    const result = await client.segment([picture(1), new TextEncoder().encode("This is no picture.")], "cup");
    expect((await result.coco()).images).toHaveLength(1);
  });

  it("keeps a video's frames and tracks apart from another's", () => {
    const clip = (name: string): CocoDocument => ({
      videos: [{ id: 1 }],
      images: [0, 1].map((id) => ({ id, file_name: `${name}-${id}`, width: 3, height: 2, video_id: 1 })),
      categories: [{ id: 1, name }],
      annotations: [0, 1].map((image_id) => ({
        id: image_id,
        image_id,
        category_id: 1,
        bbox: [0, 0, 1, 1],
        area: 1,
        score: 1,
        iscrowd: 0,
        segmentation: { size: [2, 3], counts: "015" },
        track_id: 4,
        video_id: 1,
      })),
    });
    const merged = mergeCoco([clip("cat"), clip("dog")]);
    expect(merged.videos).toEqual([{ id: 1 }, { id: 2 }]);
    expect(merged.images.map(({ id, video_id }) => [id, video_id])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
    ]);
    expect(
      merged.annotations.map(({ image_id, track_id, video_id }) => [image_id, track_id, video_id]),
    ).toEqual([
      [1, 4, 1],
      [2, 4, 1],
      [3, 8, 2],
      [4, 8, 2],
    ]);
  });

  it("merged from parts is the same as merged at once", () => {
    const document = fc
      .array(fc.constantFrom("cat", "dog", "cup"), { maxLength: 4 })
      .map((names): CocoDocument => {
        const categories = [...new Set(names)].map((name, i) => ({ id: i + 7, name }));
        return {
          images: names.map((name, id) => ({ id, file_name: name, width: 1, height: 1 })),
          categories,
          annotations: names.map((name, id) => ({
            id,
            image_id: id,
            category_id: categories.find((one) => one.name === name)?.id ?? 0,
            bbox: [0, 0, 1, 1],
            area: 1,
            score: 1,
            iscrowd: 0,
            segmentation: { size: [1, 1], counts: "01" },
          })),
        };
      });
    fc.assert(
      fc.property(document, document, document, (a, b, c) => {
        expect(mergeCoco([mergeCoco([a, b]), c])).toEqual(mergeCoco([a, b, c]));
      }),
    );
  });
});
