import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TaskDropped } from "../../src/failures.ts";
import type { ImageResult, TaskHooks, VideoTask } from "../../src/messages.ts";
import type { LogitGrid } from "@segmentation/masks";
import type { Instance, Model } from "../../src/models/model.ts";
import { drawTracked } from "../../src/preview/preview.ts";
import { Semaphore } from "../../src/semaphore.ts";
import { runPicture } from "../../src/engine/run-picture.ts";
import { FrameTracker } from "../../src/engine/track-frame.ts";
import { CountedMask } from "../support/masks/counted-mask.ts";

const SYNONYMS = 32;
const OBJECTS = 5;
const SIZE_8K = { width: 7680, height: 4320 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "steps-"));
});
afterEach(() => rm(folder, { recursive: true }));

const instance = (mask: LogitGrid, promptIndex = 0): Instance => {
  return { promptIndex, score: 0.5, box: [0, 0, 2, 2], mask, faint: false };
};

const promptsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `synonym ${i}`);

/** The instances of prompts with the same meaning: each has all of the masks. */
const synonyms = (prompts: number, masks: readonly LogitGrid[]): Instance[] =>
  promptsOf(prompts).flatMap((_, promptIndex) => masks.map((mask) => instance(mask, promptIndex)));

const countedMasks = (): CountedMask[] => Array.from({ length: OBJECTS }, () => new CountedMask());
const readsOf = (masks: readonly CountedMask[]): number => masks.reduce((sum, { reads }) => sum + reads, 0);

/** Segments a gray picture with a model that finds these instances. */
async function run(
  instances: readonly Instance[],
  prompts: number,
  size: { width: number; height: number },
  hooks: Partial<TaskHooks> = {},
): Promise<ImageResult> {
  const inputPath = join(folder, "input.png");
  await sharp({ create: { ...size, channels: 3, background: "grey" } })
    .png()
    .toFile(inputPath);
  const model: Model = {
    id: "fixture",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "fixture",
    segment: () => Promise.resolve({ instances, unserved: [], modelMs: 0, featuresCached: false }),
    close: () => Promise.resolve(),
  };
  const task = {
    type: "image",
    key: "picture",
    lane: "bulk",
    inputPath,
    contentHash: "picture",
    prompts: promptsOf(prompts),
    generatePreview: true,
    folder,
    limits: { inputBytes: 1_000_000, inputPixels: 100_000_000, masks: 2_000 },
    threshold: 0,
    maskThreshold: 0.5,
  } as const;
  const { signal } = new AbortController();
  const unbothered = { at: () => undefined, progress: () => undefined, signal };
  return runPicture(model, task, { ...unbothered, ...hooks }, new Semaphore(1));
}

const crowd = (size: number): Instance[] => Array.from({ length: size }, () => instance(new CountedMask()));

test("a picture without formats reports after each mask, and for each in the preview, that it is alive", async () => {
  let reports = 0;
  await run(crowd(300), 1, { width: 4, height: 4 }, { progress: () => void reports++ });
  expect(reports).toBeGreaterThanOrEqual(2 * 300);
});

test("masks without a pixel are steps as well", async () => {
  let reports = 0;
  const nothing = Array.from({ length: 300 }, () =>
    instance({ width: 1, height: 1, logits: Float32Array.of(-9) }),
  );
  await run(nothing, 1, { width: 4, height: 4 }, { progress: () => void reports++ });
  expect(reports).toBeGreaterThanOrEqual(300);
});

test("a picture without formats that is canceled at a mask writes no further ones", async () => {
  const controller = new AbortController();
  let reports = 0;
  const progress = (): void => {
    reports += 1;
    // As a message from the service, which arrives in the thread's next turn.
    if (reports === 100) setImmediate(() => controller.abort(new TaskDropped("cancelled")));
  };
  const running = run(crowd(300), 1, { width: 4, height: 4 }, { progress, signal: controller.signal });
  await expect(running).rejects.toThrow(TaskDropped);
  expect((await readdir(join(folder, "masks"))).length).toBeLessThanOrEqual(101);
});

test("a picture that is canceled while its preview is drawn ends there", async () => {
  const controller = new AbortController();
  let reports = 0;
  const progress = (): void => {
    reports += 1;
    if (reports === 310) setImmediate(() => controller.abort(new TaskDropped("cancelled")));
  };
  const running = run(crowd(300), 1, { width: 4, height: 4 }, { progress, signal: controller.signal });
  await expect(running).rejects.toThrow(TaskDropped);
  expect(await readdir(join(folder, "masks"))).toHaveLength(300);
  expect(reports).toBeLessThan(320);
});

test("prompts that share their masks cost a large picture no more run lengths than one of them", async () => {
  const reads: number[] = [];
  for (const prompts of [1, SYNONYMS]) {
    const masks = countedMasks();
    const { masks: written } = await run(synonyms(prompts, masks), prompts, { width: 1920, height: 1080 });
    expect(written).toHaveLength(prompts * OBJECTS);
    reads.push(readsOf(masks));
  }
  expect(reads[1]).toBe(reads[0]);
});

test("prompts that share their masks cost a frame of 8K no more run lengths and drawing than one of them, in steps", async () => {
  const reads: number[] = [];
  const frames: Buffer[] = [];
  const tops: Buffer[] = [];
  const size = { width: 96, height: 54 };
  for (const prompts of [1, SYNONYMS]) {
    let steps = 0;
    const step = async (): Promise<void> => void steps++;
    const task: VideoTask = {
      type: "video",
      key: "clip",
      lane: "bulk",
      inputPath: "",
      prompts: promptsOf(prompts),
      generatePreview: true,
      folder,
      limits: { inputBytes: 1, inputPixels: 1, seconds: 1, frames: 1 },
      scoreThreshold: 0.5,
      sampling: { fps: null, numFrames: 1, maxFrames: null },
    };
    const masks = countedMasks();
    const tracker = new FrameTracker(task, SIZE_8K, size, step);
    const found = { instances: synonyms(prompts, masks), unserved: [], modelMs: 0, featuresCached: false };
    const objects = await tracker.look(0, found);
    expect(objects).toHaveLength(prompts * OBJECTS);
    expect(new Set(objects.map(({ rle }) => rle)).size).toBe(OBJECTS);
    expect(steps).toBeGreaterThanOrEqual(OBJECTS);
    const rgb = Buffer.alloc(3 * size.width * size.height, 128);
    await drawTracked({ ...size, rgb }, objects, step);
    frames.push(rgb);
    // Of equal masks the last one is uppermost.
    const top = Buffer.alloc(3 * size.width * size.height, 128);
    await drawTracked({ ...size, rgb: top }, objects.slice(-1), step);
    tops.push(top);
    reads.push(readsOf(masks));
    expect(steps).toBeGreaterThanOrEqual(2 * OBJECTS + prompts * OBJECTS);
  }
  expect(reads[1]).toBe(reads[0]);
  const tint = (frame: Buffer | undefined): number[] => [...(frame ?? Buffer.alloc(0)).subarray(-3)];
  expect(frames.map(tint)).toEqual(tops.map(tint));
});
