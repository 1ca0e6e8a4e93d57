import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ImageResult } from "../../src/messages.ts";
import { Semaphore } from "../../src/semaphore.ts";
import { runPicture } from "../../src/engine/run-picture.ts";
import type { Instance, Model } from "../../src/models/model.ts";
import { samples } from "../support/pictures/pictures.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mask-quota-"));
  await writeFile(join(folder, "input"), (await samples())["bright.png"] ?? "");
});
afterEach(() => rm(folder, { recursive: true }));

/** Finds this many objects of each prompt, by descending confidence; every third has no pixel. */
function modelThatFinds(counts: readonly number[], unservedPrompt?: number): Model {
  const instances = counts.flatMap((count, promptIndex) =>
    Array.from({ length: count }, (_, i): Instance => {
      const logits = Float32Array.of(i % 3 === 2 ? -9 : 9);
      const mask = { width: 1, height: 1, logits };
      return { promptIndex, score: 1 - i / 1_000, box: [0, 0, 2, 2], mask, faint: false };
    }),
  );
  const unserved =
    unservedPrompt === undefined ? [] : [{ promptIndex: unservedPrompt, message: "It is an odd word." }];
  return {
    id: "fixture",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "fixture",
    segment: () => Promise.resolve({ instances, unserved, modelMs: 0, featuresCached: false }),
    close: () => Promise.resolve(),
  };
}

function run(model: Model, prompts: number, maxMasks: number): Promise<ImageResult> {
  const task = {
    type: "image",
    key: "picture",
    lane: "bulk",
    inputPath: join(folder, "input"),
    contentHash: "picture",
    prompts: Array.from({ length: prompts }, (_, i) => `prompt ${i}`),
    generatePreview: true,
    folder,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, masks: maxMasks },
    threshold: 0,
    maskThreshold: 0.5,
  } as const;
  const { signal } = new AbortController();
  const hooks = { at: () => undefined, progress: () => undefined, signal };
  return runPicture(model, task, hooks, new Semaphore(1));
}

/** The scores of a prompt's objects that have a pixel. */
const visible = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => i)
    .filter((i) => i % 3 !== 2)
    .map((i) => 1 - i / 1_000);

test("of each prompt the most confident masks are kept, up to its share of the limit, and a notice says so [8-12]", async () => {
  const { masks, notice, files } = await run(modelThatFinds([600, 9]), 2, 400);
  const of = (prompt: number) =>
    masks.filter(({ promptIndex }) => promptIndex === prompt).map(({ confidence }) => confidence);
  expect(of(0)).toEqual(visible(600).slice(0, 200));
  expect(of(1)).toEqual(visible(9));
  expect(masks.map(({ maskIndex }) => maskIndex)).toEqual(masks.map((_, i) => i));
  expect(notice).toEqual({
    code: "masks_limited",
    message:
      "More objects were found than a picture may have: for each prompt, the 200 most confident were kept. Raise the threshold, or cut the picture into parts.",
  });
  expect(await readdir(join(folder, "masks"))).toHaveLength(206);
  expect(files).toHaveLength(207);
});

test("just as many masks as the limit allows are kept without a notice [8-12]", async () => {
  const { masks, notice } = await run(modelThatFinds([300]), 1, 200);
  expect(masks).toHaveLength(200);
  expect(notice).toBeNull();
});

test("a task has no more masks than its limit, however many prompts it has", async () => {
  const { masks, notice } = await run(modelThatFinds([2, 2, 2, 2]), 4, 3);
  expect(masks.map(({ promptIndex }) => promptIndex)).toEqual([0, 1, 2]);
  expect(notice).toMatchObject({ code: "masks_limited" });
});

test("one notice covers both: prompts that could not be served, and masks that were left out", async () => {
  const { notice } = await run(modelThatFinds([9], 1), 2, 4);
  expect(notice?.code).toBe("prompt_outside_vocabulary");
  expect(notice?.message).toMatch(/^It is an odd word\. More objects were found .* the 2 most confident/);
});
