import { describe, expect, it } from "vitest";
import type { JobType } from "../../../src/shared/api/primitives.ts";
import { filesRefusal, outputRefusal, mostMasks } from "../../../src/jobs/rules/task-outputs.ts";
import type { ImageTaskOutput, OutputFile, TaskOutput, VideoTaskOutput } from "@segmentation/protocol";

const file = (name: string, contentType: OutputFile["contentType"]): OutputFile => ({
  name,
  contentType,
  size: 1,
  md5: "1B2M2Y8AsgTpgAmY7PhCfg==",
});

const [MASK, PREVIEW] = [file("masks/0.png", "image/png"), file("preview.png", "image/png")];
const [MASKS, CLIP] = [file("masks.json", "application/json"), file("preview.mp4", "video/mp4")];

const common = { generatedAt: "2026-01-02T03:04:05.678Z", notice: null };
const picture = (changes: Partial<ImageTaskOutput> = {}): ImageTaskOutput => ({
  ...common,
  type: "image",
  units: 1,
  masks: [{ maskIndex: 0, promptIndex: 0, confidence: 0.9, file: "masks/0.png" }],
  preview: "preview.png",
  ...changes,
});
const clip = (changes: Partial<VideoTaskOutput> = {}): VideoTaskOutput => ({
  ...common,
  type: "video",
  units: 3,
  framesWithMasks: 2,
  totalMasks: 4,
  masks: "masks.json",
  preview: "preview.mp4",
  ...changes,
});

describe("the files of a task", () => {
  it.each<[JobType, OutputFile[]]>([
    ["image", [MASK, file("masks/99999.png", "image/png"), PREVIEW]],
    ["video", [MASKS]],
    ["video", [MASKS, CLIP]],
  ])("may be written if they have its type: %s", (type, files) => {
    expect(filesRefusal(type, files)).toBeNull();
  });

  it.each<[JobType, OutputFile[], string]>([
    ["image", [MASK, MASKS], "masks.json"],
    ["image", [CLIP], "preview.mp4"],
    ["image", [file("masks/0.png", "video/mp4")], "masks/0.png"],
    ["image", [MASK, MASK], "twice"],
    ["video", [MASKS, MASK], "masks/0.png"],
    ["video", [PREVIEW], "preview.png"],
    ["video", [file("masks.json", "video/mp4")], "masks.json"],
    ["video", [file("preview.mp4", "application/json")], "preview.mp4"],
    ["video", [MASKS, CLIP, MASKS], "twice"],
  ])("are refused where they are not, by their name: %s", (type, files, named) => {
    expect(filesRefusal(type, files)).toContain(named);
  });
});

describe("a task's outputs", () => {
  const mask = (maskIndex: number, name: string) => ({
    maskIndex,
    promptIndex: 0,
    confidence: 0.5,
    file: name,
  });

  it.each<[JobType, TaskOutput]>([
    ["image", picture()],
    ["image", picture({ masks: [], preview: null })],
    ["image", picture({ masks: [mask(0, "masks/0.png"), mask(1, "masks/1.png")] })],
    ["video", clip()],
    ["video", clip({ preview: null, framesWithMasks: 0, totalMasks: 0 })],
    ["video", clip({ framesWithMasks: 3 })],
  ])("is taken if it has its job's type: %s", (type, output) => {
    expect(outputRefusal(type, output)).toBeNull();
  });

  it.each<[JobType, TaskOutput, string]>([
    ["image", clip(), "type video"],
    ["video", picture(), "type image"],
    ["image", picture({ preview: "preview.mp4" }), "preview.mp4"],
    ["image", picture({ preview: "masks/0.png" }), "masks/0.png"],
    ["image", picture({ masks: [mask(0, "masks.json")] }), "masks.json"],
    ["image", picture({ masks: [mask(0, "preview.png")] }), "preview.png"],
    ["image", picture({ masks: [mask(0, "masks/0.png"), mask(0, "masks/1.png")] }), "twice"],
    ["video", clip({ masks: "masks/0.png" }), "masks/0.png"],
    ["video", clip({ masks: "preview.mp4" }), "preview.mp4"],
    ["video", clip({ preview: "preview.png" }), "preview.png"],
    ["video", clip({ preview: "masks.json" }), "masks.json"],
    ["video", clip({ framesWithMasks: 4 }), "More frames"],
  ])("is refused where it is not, or names its files wrongly: %s [2.5-16]", (type, output, named) => {
    expect(outputRefusal(type, output)).toContain(named);
  });
});

it.each([
  [{ prompts: 1, tasks: 1, regions: 0 }, 200],
  [{ prompts: 3, tasks: 1, regions: 0 }, 600],
  [{ prompts: 1, tasks: 100, regions: 0 }, 200],
  [{ prompts: 2, tasks: 100, regions: 0 }, 300],
  [{ prompts: 50, tasks: 3, regions: 0 }, 10_000],
  [{ prompts: 51, tasks: 1, regions: 0 }, 10_000],
  [{ prompts: 100, tasks: 7, regions: 0 }, 4_285],
  [{ prompts: 0, tasks: 1, regions: 50 }, 0],
  [{ prompts: 1, tasks: 1, regions: 50 }, 200],
  [{ prompts: 2, tasks: 100, regions: 50 }, 250],
  [{ prompts: 51, tasks: 1, regions: 50 }, 9_950],
  [{ prompts: 2, tasks: 100, regions: 0, filesPerMask: 2 }, 150],
  [{ prompts: 2, tasks: 100, regions: 50, filesPerMask: 2 }, 100],
  [{ prompts: 50, tasks: 1, regions: 0, filesPerMask: 2 }, 10_000],
])("the prompts of a task of a job with %j have at most %i masks", (job, most) => {
  expect(mostMasks(job)).toBe(most);
});
