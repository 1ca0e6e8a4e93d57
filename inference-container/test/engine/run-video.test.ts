import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { VideoTask, VideoResult } from "../../src/engine/messages.ts";
import { runVideo } from "../../src/engine/run-video.ts";
import type { Model, Segmentation, SegmentRequest } from "../../src/models/model.ts";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";
import { movingSquare } from "../support/moving-square.ts";

const FRAMES = 6;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-video-"));
  await writeFile(join(folder, "clip.mp4"), movingSquare(2));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** A model that answers a clip's frames, counted from 0, by `segment`. */
function modelOf(segment: (frame: number, request: SegmentRequest) => Promise<Segmentation>): Model {
  let frames = 0;
  const model = { id: "told", version: "1.0.0", provider: "cpu", maxBatch: 1 };
  return {
    ...model,
    segment: (_, request) => segment(frames++, request),
    close: () => Promise.resolve(),
  };
}

/** One object, or none. */
function found(objects: 0 | 1): Segmentation {
  const mask = { width: 1, height: 1, logits: Float32Array.of(9) };
  const instance = { promptIndex: 0, score: 0.9, box: [10, 10, 50, 50], mask, faint: false } as const;
  return { instances: objects === 1 ? [instance] : [], unserved: [], modelMs: 0, featuresCached: false };
}

function run(model: Model, progress: (done: number) => void = () => undefined): Promise<VideoResult> {
  const task: VideoTask = {
    type: "video",
    key: "clip",
    inputPath: join(folder, "clip.mp4"),
    prompts: ["square"],
    generatePreview: false,
    folder,
    limits: { inputPixels: 1_000_000, seconds: 100, frames: 100 },
    scoreThreshold: 0.5,
    sampling: { fps: null, numFrames: FRAMES, maxFrames: null },
  };
  const { signal } = new AbortController();
  return runVideo(model, findFfmpeg(process.env), task, { at: () => undefined, progress, signal });
}

test("what is faint is asked for from the first frame on that comes after an object", async () => {
  const steps = () => Array.from({ length: FRAMES + 1 }, () => Promise.withResolvers<void>());
  const [begun, done] = [steps(), steps()];
  begun[FRAMES]?.resolve();
  const asked: boolean[] = [];
  const model = modelOf(async (frame, request) => {
    begun[frame]?.resolve();
    // Detection lasts until the frames before were evaluated and the next is being detected.
    await Promise.all([done[frame]?.promise, begun[frame + 1]?.promise]);
    asked[frame] = request.withFaint;
    return found(frame === 2 ? 1 : 0);
  });
  const { frames } = await run(model, (count) => done[count]?.resolve());
  expect(frames).toBe(FRAMES);
  expect(asked).toEqual([false, false, false, true, true, true]);
});

test("what is faint is asked for where a frame before may still bring an object", async () => {
  const asked: boolean[] = [];
  const second = Promise.withResolvers<void>();
  const model = modelOf(async (frame, request) => {
    if (frame === 0) await second.promise;
    asked[frame] = request.withFaint;
    if (frame === 1) second.resolve();
    return found(0);
  });
  await run(model);
  expect(asked.slice(0, 2)).toEqual([false, true]);
});

test("a clip's time with the model is what it waited for results, without the turns of others", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const model = modelOf((_, { usage }) => {
    usage?.asked();
    vi.advanceTimersByTime(1_000);
    usage?.began();
    vi.advanceTimersByTime(10);
    usage?.ended(10);
    return Promise.resolve(found(1));
  });
  const { ms, modelMs } = await run(model);
  expect(modelMs).toBe(10 * FRAMES);
  expect(ms).toEqual({ decode: 0, infer: expect.closeTo(10 * FRAMES, 6), post: 0, encode: 0 });
});
