import {
  assetKey,
  filesByKind,
  ImageFiles,
  isList,
  isNamed,
  OutputName,
  OUTPUTS,
  outputNamed,
  outputsOf,
  TaskOutput,
  VideoFiles,
  type Output,
  type TaskType,
} from "@segmentation/protocol";
import { describe, expect, it } from "vitest";

const TYPES = ["image", "video"] as const satisfies readonly TaskType[];
const ROWS = TYPES.flatMap((type) => outputsOf(type).map(([kind, output]) => ({ type, kind, output })));

/** A name that a file of this output may have. */
const nameOf = ({ name }: Output): string => name.replace("{index}", "10");

describe("the table of outputs", () => {
  it("has every type that there is", () => {
    expect(Object.keys(OUTPUTS)).toEqual(TYPES);
  });

  it.each(ROWS)("names the $kind of a task of type $type so that it is told from all others", (row) => {
    const name = nameOf(row.output);
    expect(OutputName.safeParse(name).success).toBe(true);
    const named = outputsOf(row.type).filter(([, output]) => isNamed(output, name));
    expect(named.map(([kind]) => kind)).toEqual([row.kind]);
    expect(outputNamed(row.type, name)).toBe(row.output);
    for (const wrong of [`x${name}`, `${name}x`, `../${name}`, name.replaceAll(".", "_")])
      expect(OutputName.safeParse(wrong).success, wrong).toBe(false);
  });

  it("gives each file of a task a key of its own among the assets, with nothing left to fill in", () => {
    const keys = ROWS.flatMap(({ type, output }) =>
      (isList(output) ? [0, 1] : [undefined]).map((index) => assetKey(output, `task.${type}`, index)),
    );
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[a-z]+\/task\.(image|video)[./][\w./]*$/);
  });
});

describe("a finished task's fields", () => {
  it("name the files that were written, and say null of a preview that was not", () => {
    expect(ImageFiles.parse(filesByKind("image", ["masks/0.png"]))).toEqual({ preview: null });
    expect(ImageFiles.parse(filesByKind("image", ["masks/0.png", "preview.png"]))).toEqual({
      preview: "preview.png",
    });
    expect(VideoFiles.parse(filesByKind("video", ["preview.mp4", "masks.json"]))).toEqual({
      masks: "masks.json",
      preview: "preview.mp4",
    });
  });

  it("can't lack what no task is without", () => {
    expect(VideoFiles.safeParse(filesByKind("video", ["preview.mp4"])).success).toBe(false);
    const common = { generatedAt: "2026-01-02T03:04:05.678Z", notice: null };
    const picture = { ...common, type: "image", units: 1, masks: [] };
    expect(TaskOutput.safeParse({ ...picture, preview: null }).success).toBe(true);
    expect(TaskOutput.safeParse(picture).success).toBe(false);
  });
});
