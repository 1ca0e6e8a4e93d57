import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImageTask } from "../../src/messages.ts";
import { Semaphore } from "../../src/semaphore.ts";
import { runPicture } from "../../src/engine/run-picture.ts";
import { loadModel } from "../support/service/fixture-model.ts";

/** A picture of 60,000 bytes when decoded. */
const SMALL = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "decoded-"));
  for (const [name, width] of [
    ["small.png", 200],
    ["large.png", 2_000],
  ] as const)
    await sharp({ create: { width, height: 100, channels: 3, background: "grey" } })
      .png()
      .toFile(join(folder, name));
});
afterAll(() => rm(folder, { recursive: true }));

const taskOf = (key: string, input: string): ImageTask => ({
  type: "image",
  key,
  lane: "bulk",
  inputPath: join(folder, input),
  contentHash: key,
  prompts: ["bright"],
  generatePreview: false,
  folder: join(folder, key),
  limits: { inputBytes: 1e6, inputPixels: 1e6, masks: 10 },
  threshold: 0.5,
  maskThreshold: 0.5,
});

/** Runs pictures at once. Resolves to the bytes in work each time that a picture reached the model. */
async function inWork(tasks: readonly ImageTask[], bound: Semaphore): Promise<number[]> {
  const fixture = await loadModel("fixture");
  const seen: number[] = [];
  let bytes = 0;
  const runs = tasks.map(async (task) => {
    let own = 0;
    const segment: typeof fixture.segment = async (picture, request) => {
      own = picture.rgb.length;
      bytes += own;
      seen.push(bytes);
      // Lets every picture begin that may.
      for (let i = 0; i < 100; i++) await turn();
      return fixture.segment(picture, request);
    };
    const { signal } = new AbortController();
    const hooks = { at: () => undefined, progress: () => undefined, signal };
    await runPicture({ ...fixture, segment }, task, hooks, bound);
    bytes -= own;
  });
  await Promise.all(runs);
  return seen;
}

test("pictures in work take no more bytes than the bound, however many there are", async () => {
  const tasks = Array.from({ length: 17 }, (_, i) => taskOf(`task-${i}`, "small.png"));
  const seen = await inWork(tasks, new Semaphore(3 * SMALL));
  expect(seen).toHaveLength(17);
  expect(Math.max(...seen)).toBeLessThanOrEqual(3 * SMALL);
});

test("a picture larger than the bound is alone, and those behind it follow", async () => {
  const inputs = ["small.png", "large.png", "small.png", "small.png"];
  const seen = await inWork(
    inputs.map((input, i) => taskOf(`mixed-${i}`, input)),
    new Semaphore(3 * SMALL),
  );
  expect(seen).toHaveLength(4);
  for (const bytes of seen) expect([1, 2, 3, 10]).toContain(bytes / SMALL);
});

test("one that is canceled while it waits takes nothing, and lets the next one in", async () => {
  const bound = new Semaphore(2);
  const first = await bound.acquire();
  const controller = new AbortController();
  const wide = bound.acquire(controller.signal, 2);
  const next = bound.acquire();
  controller.abort(new Error("cancelled"));
  await expect(wide).rejects.toThrow("cancelled");
  const second = await next;
  const all = bound.acquire(undefined, 2);
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  await all;
});
