import type { VideoTaskOutput } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { type MadeFile, planArchive } from "../../../src/archives/rules/plan.ts";
import type { FinishedJob } from "../../../src/jobs/rules/answers.ts";
import { IMAGE_OUTPUT, imageJob, videoJob } from "../../support/a-job.ts";

const mask = (maskIndex: number) => ({
  maskIndex,
  promptIndex: 0,
  confidence: 0.5,
  file: `masks/${maskIndex}.png`,
});
const job = (lease = 1, masks = 2): FinishedJob => ({
  definition: imageJob(["a"]),
  tasks: [
    {
      taskId: "a",
      lease,
      output: { ...IMAGE_OUTPUT, masks: Array.from({ length: masks }, (_, i) => mask(i)) },
    },
  ],
});

const textOf = (made: readonly MadeFile[], name: string): string =>
  new TextDecoder().decode(made.find((file) => file.name === name)?.bytes);

describe("an archive's plan", () => {
  it("names the manifest first, then each asset by its key", async () => {
    const { names, fetched, made } = await planArchive(job());
    expect(names).toEqual(["output_manifest.json", "masks/a/0.png", "masks/a/1.png"]);
    expect(fetched.map(({ key }) => key)).toEqual(names.slice(1));
    expect(JSON.parse(textOf(made, "output_manifest.json"))).toMatchObject({
      items: [{ masks: [{ url: "masks/a/0.png" }, { url: "masks/a/1.png" }] }],
    });
  });

  it("has the same digest as another only if both hold the same files from the same places", async () => {
    const { digest } = await planArchive(job());
    expect((await planArchive(job())).digest).toBe(digest);
    expect((await planArchive(job(1, 3))).digest).not.toBe(digest);
    expect((await planArchive(job(2))).digest).not.toBe(digest);
    const { tasks, definition } = job();
    const other = { definition: { ...definition, prompts: ["dog"] }, tasks };
    expect((await planArchive(other)).digest).not.toBe(digest);
  });

  it("has the COCO document of the whole job and the classes of its labels, if the job asked for these formats", async () => {
    const output = {
      ...IMAGE_OUTPUT,
      coco: "annotations.json",
      yolo: "labels.txt",
      labelmap: "labelmap.png",
    };
    const tasks = ["a", "b"].map((taskId) => ({ taskId, lease: 3, output }));
    const definition = imageJob(["a", "b"], { prompts: ["cat", "dog"] });
    const asked = { ...definition, formats: ["labelmap", "yolo", "coco"] as const };
    const { names, fetched, made, digest } = await planArchive({ definition: asked, tasks });
    const ofTask = (taskId: string) => [
      `annotations/${taskId}.json`,
      `labels/${taskId}.txt`,
      `labelmaps/${taskId}.png`,
    ];
    expect(names).toEqual([
      "output_manifest.json",
      "data.yaml",
      "annotations.json",
      ...ofTask("a"),
      ...ofTask("b"),
    ]);
    expect(textOf(made, "data.yaml")).toContain('  1: "dog"\n');
    expect(fetched[0]).toMatchObject({
      documents: [
        { key: "annotations/a.json", objectKey: "outputs/acct_1/job_1/a/3/annotations.json" },
        { key: "annotations/b.json", objectKey: "outputs/acct_1/job_1/b/3/annotations.json" },
      ],
    });
    expect((await planArchive({ definition, tasks })).digest).not.toBe(digest);
  });

  it("has classes for the labels of regions, after those of the prompts [A5-6 A5-13]", async () => {
    const output = { ...IMAGE_OUTPUT, yolo: "labels.txt" };
    const definition = {
      ...imageJob(["a"], { prompts: ["cat", "dog"] }),
      formats: ["yolo"] as const,
      regions: ["spoon", undefined, "cat", "spoon"].map((label) => ({
        taskId: "a",
        points: [{ x: 1, y: 1, label: 1 as const }],
        ...(label !== undefined && { label }),
      })),
    };
    const { made } = await planArchive({ definition, tasks: [{ taskId: "a", lease: 1, output }] });
    expect(textOf(made, "data.yaml")).toContain('  0: "cat"\n  1: "dog"\n  2: "spoon"\n  3: "region"\n');
  });

  it("has a video's own COCO document as that of the whole job", async () => {
    const output: VideoTaskOutput = {
      type: "video",
      units: 2,
      generatedAt: IMAGE_OUTPUT.generatedAt,
      framesWithMasks: 1,
      totalMasks: 1,
      masks: "masks.json",
      preview: null,
      notice: null,
      coco: "annotations.json",
    };
    const definition = { ...videoJob({ taskIds: ["c"] }), formats: ["coco"] as const };
    const { names, fetched } = await planArchive({ definition, tasks: [{ taskId: "c", lease: 1, output }] });
    expect(names).toEqual([
      "output_manifest.json",
      "annotations.json",
      "masks/c/masks.json",
      "annotations/c.json",
    ]);
    const objectKey = "outputs/acct_1/job_1/c/1/annotations.json";
    expect(fetched[0]).toEqual({ key: "annotations.json", objectKey });
  });

  it("has the digest that it always had if the job asked for no format", async () => {
    const { digest } = await planArchive(job());
    expect(digest).toBe("bceae38d5cc4674fbcadae29309fd4a40f03e3468ec19e4223df0844a69bc66a");
  });
});
