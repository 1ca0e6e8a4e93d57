import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classesOf } from "../../../src/export/files/classes.ts";
import type { Subject } from "../../../src/export/files/entry.ts";
import { sample } from "../../../../test/support/media/sample.ts";
import { cocoIn, pictureOf, scopeOf, textsOf } from "../../support/entries.ts";

const PROMPTS = ["person", "bottle"];
/** Pictures whose objects appear in another order than the prompts, with names that people gave. */
const PICTURES = [
  pictureOf("a.png", [{ label: "bottle" }, { label: "Chair", isShown: false }, { label: "radiator" }]),
  pictureOf("b.png", [{ label: "radiator" }, { label: "chair" }, { label: "person" }], {
    verdict: "accepted",
  }),
  pictureOf("c.png", [{ label: "person", isShown: false }], { verdict: "accepted" }),
  pictureOf("d.png", [], { verdict: "accepted", original: new Blob([sample("coffee")]) }),
];
const CLASSES = ["person", "bottle", "Chair", "radiator"];
const SCOPES: readonly (readonly [string, Parameters<typeof scopeOf>[2]])[] = [
  ["all", { isShownOnly: false }],
  ["all without the hidden objects", {}],
  ["one picture", { choose: ({ name }: Subject) => name === "b.png" }],
  ["the accepted pictures", { choose: ({ verdict }: Subject) => verdict === "accepted" }],
];

describe("the classes of an entry", () => {
  it("are the prompts in their order, then other labels as they first appear", () => {
    expect(
      classesOf({ exported: [], prompts: ["cup", "cat"], labels: ["mug", "cat", null, "mug", "dog"] }).names,
    ).toEqual(["cup", "cat", "mug", "dog"]);
  });

  it("are one class for names that differ by case alone", () => {
    const { names, indexOf } = classesOf({
      exported: [],
      prompts: ["cup"],
      labels: ["Chair", "chair", "CUP"],
    });
    expect(names).toEqual(["cup", "Chair"]);
    expect(["chair", "CHAIR ", "Cup"].map(indexOf)).toEqual([1, 1, 0]);
  });

  it("keep their numbers after an export, when prompts and names are added", async () => {
    const { classes } = await scopeOf([pictureOf("a.png", [{ label: "Chair" }])], ["cup"]);
    expect(classes.names).toEqual(["cup", "Chair"]);
    const later = [pictureOf("a.png", [{ label: "mug" }]), pictureOf("b.png", [{ label: "chair" }])];
    const scope = await scopeOf(later, ["cup", "cat"], { exported: classes.names });
    expect((await cocoIn(scope)).categories.map(({ name }) => name)).toEqual(["cup", "Chair", "cat", "mug"]);
  });

  it("keep their numbers when a program deletes one: that number stays empty", async () => {
    const exported = ["person", "", "car"];
    const scope = await scopeOf([pictureOf("a.png", [{ label: "car" }, { label: "dog" }])], [], { exported });
    const { categories, annotations } = await cocoIn(scope);
    expect(categories).toEqual([
      { id: 1, name: "person" },
      { id: 3, name: "car" },
      { id: 4, name: "dog" },
    ]);
    expect(annotations.map(({ category_id }) => category_id)).toEqual([3, 4]);
    const { "data.yaml": yaml = "", "labels/a.txt": labels = "" } = await textsOf("yolo", scope);
    expect(yaml).toContain('names:\n  0: "person"\n  1: "unused 1"\n  2: "car"\n  3: "dog"\n');
    expect(labels.split("\n").flatMap((line) => line.split(" ")[0] || [])).toEqual(["2", "3"]);
  });

  it("have none for an object without a name", () => {
    expect(() => classesOf({ exported: [], prompts: ["cup"], labels: [null] }).indexOf(null)).toThrow(
      "Name the objects",
    );
  });
});

describe.each(SCOPES)("an export of %s", (_, choice) => {
  it("has the entry's class numbers in COCO, YOLO and label maps", async () => {
    const scope = await scopeOf(PICTURES, PROMPTS, choice);
    const { categories, annotations, images } = await cocoIn(scope);
    expect(categories).toEqual(CLASSES.map((name, i) => ({ id: i + 1, name })));
    const yolo = await textsOf("yolo", scope);
    expect(yolo["data.yaml"]).toContain(
      `names:\n${CLASSES.map((name, i) => `  ${i}: ${JSON.stringify(name)}`).join("\n")}\n`,
    );
    const legend = JSON.parse((await textsOf("labelmap", scope))["labelmaps/legend.json"] ?? "");
    for (const { imageId, masks, stem, fileName } of scope.subjects) {
      const expected = masks.map(({ label }) =>
        CLASSES.findIndex((name) => name.toLowerCase() === label?.toLowerCase()),
      );
      expect(images.find(({ id }) => id === imageId)?.file_name).toBe(fileName);
      expect(
        annotations.filter(({ image_id }) => image_id === imageId).map(({ category_id }) => category_id - 1),
      ).toEqual(expected);
      const lines = (yolo[`labels/${stem}.txt`] ?? "").split("\n").filter((line) => line !== "");
      expect(lines.map((line) => Number(line.split(" ")[0]))).toEqual(expected);
      const numbered = Object.values<{ class_id: number; class: string }>(legend[`${stem}.png`] ?? {});
      expect(numbered.map(({ class_id }) => class_id - 1)).toEqual(expected);
      expect(numbered.map((each) => each.class)).toEqual(expected.map((i) => CLASSES[i]));
    }
  });

  it("has every picture in COCO, also those without objects", async () => {
    const scope = await scopeOf(PICTURES, PROMPTS, choice);
    const { images } = await cocoIn(scope);
    expect(images.map(({ file_name }) => file_name)).toEqual(scope.subjects.map(({ name }) => name));
    for (const { width, height } of images) expect(width * height).toBeGreaterThan(0);
  });
});

describe("exports of parts of an entry", () => {
  const label = fc.constantFrom("person", "Person", "bottle", "chair", "Chair", "bus");
  const entry = fc.array(fc.array(fc.record({ label, isShown: fc.boolean() }), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  });

  it("give a name the same number in every part", async () => {
    await fc.assert(
      fc.asyncProperty(entry, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), async (all, isIn) => {
        const pictures = all.map((objects, i) => pictureOf(`${i}.png`, objects));
        const whole = await cocoIn(await scopeOf(pictures, PROMPTS, { isShownOnly: false }));
        const part = await cocoIn(
          await scopeOf(pictures, PROMPTS, { choose: ({ imageId }) => isIn[imageId - 1] === true }),
        );
        expect(part.categories).toEqual(whole.categories);
        const key = ({ image_id, bbox, category_id }: (typeof whole)["annotations"][number]): string =>
          JSON.stringify([image_id, bbox, category_id]);
        const known = whole.annotations.map(key);
        for (const annotation of part.annotations) expect(known).toContain(key(annotation));
      }),
      { numRuns: 30 },
    );
  });

  it("keep the names and numbers of pictures, once one before them is no longer missing", async () => {
    const named = ["task-0", "task-1"].map((taskId) => ({ ...pictureOf("a.png", []), taskId }));
    const without = await scopeOf(
      named.map((picture, i) => ({ ...picture, isMissing: i === 0 })),
      PROMPTS,
    );
    const whole = await scopeOf(named, PROMPTS);
    const keyOf = ({ taskId, imageId, stem }: (typeof whole)["subjects"][number]) => [taskId, imageId, stem];
    expect(without.subjects.map(keyOf)).toEqual(whole.subjects.slice(1).map(keyOf));
  });

  it("call two pictures of one name differently, and each the same in every part", async () => {
    const pictures = [pictureOf("a.png", [{ label: "person" }]), pictureOf("a.png", [{ label: "person" }])];
    const named = pictures.map((picture, i) => ({ ...picture, taskId: `task-${i}` }));
    const second = await scopeOf(named, PROMPTS, { choose: ({ taskId }) => taskId === "task-1" });
    const [image] = (await cocoIn(second)).images;
    expect(image?.file_name).toBe("a-2.png");
    expect(Object.keys(await textsOf("yolo", second))).toContain("labels/a-2.txt");
  });
});
