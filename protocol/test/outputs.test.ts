import {
  annotationIdOf,
  annotationLine,
  assetKey,
  closeAnnotations,
  END_OF_ANNOTATIONS,
  filesByKind,
  filesOf,
  ImageFiles,
  ResultFormat,
  isList,
  isNamed,
  MOST_MASKS_PER_TASK,
  openAnnotations,
  OutputName,
  OUTPUTS,
  outputNamed,
  outputsOf,
  parseHead,
  TaskOutput,
  VideoFiles,
  VideoFormat,
  type Output,
  type TaskType,
} from "@segmentation/protocol";
import { describe, expect, it } from "vitest";

const TYPES = ["image", "video"] as const satisfies readonly TaskType[];
const ROWS = TYPES.flatMap((type) => outputsOf(type).map(([kind, output]) => ({ type, kind, output })));

/** A name that a file of this output may have. */
const nameOf = ({ name }: Output): string => name.replace("{index}", "10");

describe("the table of outputs", () => {
  it("has every type", () => {
    expect(Object.keys(OUTPUTS)).toEqual(TYPES);
  });

  it.each(ROWS)("names the $kind of a task of type $type so that it differs from all others", (row) => {
    const name = nameOf(row.output);
    expect(OutputName.safeParse(name).success).toBe(true);
    const named = outputsOf(row.type).filter(([, output]) => isNamed(output, name));
    expect(named.map(([kind]) => kind)).toEqual([row.kind]);
    expect(outputNamed(row.type, name)).toBe(row.output);
    for (const wrong of [`x${name}`, `${name}x`, `../${name}`, name.replaceAll(".", "_")])
      expect(OutputName.safeParse(wrong).success, wrong).toBe(false);
  });

  it("gives each file of a task a distinct, complete key among the assets", () => {
    const keys = ROWS.flatMap(({ type, output }) =>
      (isList(output) ? [0, 1] : [undefined]).map((index) => assetKey(output, `task.${type}`, index)),
    );
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[a-z]+\/task\.(image|video)[./][\w./]*$/);
  });
});

describe("the formats", () => {
  it("are kinds of outputs, which a finished task has only if its job asked for them", () => {
    const kinds = (type: TaskType) =>
      outputsOf(type).flatMap(([kind, { reported }]) => (reported === undefined ? [kind] : []));
    expect(ResultFormat.options).toEqual(kinds("image"));
    expect(VideoFormat.options).toEqual(kinds("video"));
  });
});

describe("a COCO document", () => {
  const head = { images: [{ id: 1 }] };
  const annotations = [{ id: 3, text: "a\nb" }, { id: 4 }];
  const lines = (count: number) =>
    annotations.slice(0, count).map((annotation, i) => annotationLine(annotation, i === 0));

  it.each([0, 1, 2])("has a line for its head, for each of %i annotations, and for its end", (count) => {
    const document = [openAnnotations(head), ...lines(count), closeAnnotations()].join("");
    expect(JSON.parse(document)).toEqual({ ...head, annotations: annotations.slice(0, count) });
    expect(document.split("\n")).toHaveLength(count + 3);
    expect(document.endsWith(`\n${END_OF_ANNOTATIONS}`)).toBe(true);
    expect(parseHead(document.split("\n")[0] ?? "")).toEqual({ ...head, annotations: [] });
  });

  it("may have fields behind its annotations", () => {
    const document = [openAnnotations({}), ...lines(2), closeAnnotations(head)].join("");
    expect(JSON.parse(document)).toEqual({ annotations, ...head });
  });

  it("gives each mask of a job a distinct id", () => {
    const most = MOST_MASKS_PER_TASK - 1;
    expect([annotationIdOf(0, 0), annotationIdOf(0, most), annotationIdOf(1, 0)]).toEqual([
      1, 10_000, 10_001,
    ]);
  });
});

describe("a finished task's fields", () => {
  it("name the written files, with null for a missing preview", () => {
    expect(ImageFiles.parse(filesByKind("image", ["masks/0.png"]))).toEqual({ preview: null });
    expect(ImageFiles.parse(filesByKind("image", ["masks/0.png", "preview.png"]))).toEqual({
      preview: "preview.png",
    });
    expect(VideoFiles.parse(filesByKind("video", ["preview.mp4", "masks.json"]))).toEqual({
      masks: "masks.json",
      preview: "preview.mp4",
    });
  });

  it("name a format's file only if it was written, and mark lists as present", () => {
    const written = [
      "masks/0.png",
      "annotations.json",
      "labels.txt",
      "cutouts/0.png",
      "labelmap.png",
      "embedding.bin",
    ];
    const formats = {
      coco: "annotations.json",
      yolo: "labels.txt",
      cutout: true,
      labelmap: "labelmap.png",
      embedding: "embedding.bin",
    };
    expect(ImageFiles.parse(filesByKind("image", written))).toEqual({ preview: null, ...formats });
    expect(VideoFiles.parse(filesByKind("video", ["masks.json", "annotations.json"]))).toEqual({
      masks: "masks.json",
      preview: null,
      coco: "annotations.json",
    });
    expect(filesByKind("image", ["masks/0.png"])).toEqual({ preview: null });
  });

  it("give every existing file, in the table's order; a list's by its masks", () => {
    const masks = [4, 7].map((maskIndex) => ({
      maskIndex,
      promptIndex: 0,
      confidence: 0.5,
      file: `masks/${maskIndex}.png`,
    }));
    const output = {
      generatedAt: "2026-01-02T03:04:05.678Z",
      notice: null,
      type: "image",
      units: 1,
    } as const;
    const namesOf = (changes: object) =>
      filesOf(TaskOutput.parse({ ...output, masks, preview: null, ...changes })).map(
        ({ kind, name, index }) => `${kind} ${name} ${index}`,
      );
    expect(namesOf({ labelmap: "labelmap.png", cutout: true })).toEqual([
      "masks masks/4.png 4",
      "masks masks/7.png 7",
      "cutout cutouts/4.png 4",
      "cutout cutouts/7.png 7",
      "labelmap labelmap.png undefined",
    ]);
    expect(namesOf({ cutout: false })).toEqual(["masks masks/4.png 4", "masks masks/7.png 7"]);
  });

  it("can't lack a required output", () => {
    expect(VideoFiles.safeParse(filesByKind("video", ["preview.mp4"])).success).toBe(false);
    const common = { generatedAt: "2026-01-02T03:04:05.678Z", notice: null };
    const picture = { ...common, type: "image", units: 1, masks: [] };
    expect(TaskOutput.safeParse({ ...picture, preview: null }).success).toBe(true);
    expect(TaskOutput.safeParse(picture).success).toBe(false);
  });
});
