import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { VideoTask, VideoResult } from "../../src/messages.ts";
import { runVideo } from "../../src/engine/run-video.ts";
import type { Followable, Model, OpenPicture, Segmentation, SegmentRequest } from "../../src/models/model.ts";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";
import { clipFolder, positionOfPacket, runFfmpeg } from "../support/video/clips.ts";
import { movingSquare } from "../support/video/moving-square.ts";

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

/** A model that answers a video's frames, counted from 0, by `segment`. */
function modelOf(segment: (frame: number, request: SegmentRequest) => Promise<Segmentation>): Model {
  let frames = 0;
  const model = { id: "fixture", version: "1.0.0", provider: "cpu", concurrency: 1, family: "fixture" };
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

function run(
  model: Model,
  progress: (done: number) => void = () => undefined,
  ffmpeg = findFfmpeg(process.env),
  numFrames = FRAMES,
): Promise<VideoResult> {
  const task: VideoTask = {
    type: "video",
    key: "clip",
    lane: "bulk",
    inputPath: join(folder, "clip.mp4"),
    prompts: ["square"],
    generatePreview: false,
    folder,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, seconds: 100, frames: 100 },
    scoreThreshold: 0.5,
    sampling: { fps: null, numFrames, maxFrames: null },
  };
  const { signal } = new AbortController();
  return runVideo(model, ffmpeg, task, { at: () => undefined, progress, signal });
}

test("faint detections are requested from the first frame after an object on", async () => {
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

test("faint detections are requested where an earlier frame may still bring an object", async () => {
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

test("a video's time with the model is what it waited for results, without the turns of others", async () => {
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

/** A model that keeps pictures open if asked to, finds an object in the first frames, and draws it everywhere. */
function drawing(detections: number, segmented: (frame: number) => void = () => undefined) {
  const mask = { width: 1, height: 1, logits: Float32Array.of(9) };
  const counted = { asked: [] as (boolean | undefined)[], open: 0, drawn: 0 };
  const model = modelOf((frame, { keepOpen }) => {
    counted.asked.push(keepOpen);
    segmented(frame);
    const segmentation = found(frame < detections ? 1 : 0);
    if (keepOpen !== true) return Promise.resolve(segmentation);
    counted.open += 1;
    const following: Followable = {
      appearance: () => Promise.resolve({ channels: 1, width: 1, height: 1, appearance: Float32Array.of(1) }),
      votes: () => Promise.resolve(Float32Array.of(1)),
      offers: (regions) => {
        counted.drawn += regions.length;
        return Promise.resolve(regions.map(() => [{ mask, quality: 1 }]));
      },
      cleaned: (drawn) => drawn,
    };
    const open: OpenPicture = {
      draw: () => Promise.resolve([]),
      following,
      [Symbol.dispose]: () => void (counted.open -= 1),
    };
    return Promise.resolve({ ...segmentation, open });
  });
  return { model, counted };
}

test("an object that the detector misses is drawn where the model sees it, and each picture is closed again", async () => {
  const { model, counted } = drawing(4);
  const { framesWithMasks } = await run(model);
  expect(counted).toEqual({ asked: Array.from({ length: FRAMES }, () => true), open: 0, drawn: 2 });
  expect(framesWithMasks).toBe(FRAMES);
});

test("no picture stays open if the video fails", async () => {
  const { model, counted } = drawing(4, (frame) => {
    if (frame === 3) throw new Error("a graph failed");
  });
  await expect(run(model)).rejects.toThrow("a graph failed");
  expect(counted.open).toBe(0);
});

test("in frames more than a second apart nothing is drawn without a detection", async () => {
  await writeFile(join(folder, "clip.mp4"), movingSquare(5));
  const { model, counted } = drawing(1);
  const { framesWithMasks } = await run(model, undefined, undefined, 2);
  expect(counted).toEqual({ asked: [false, false], open: 0, drawn: 0 });
  expect(framesWithMasks).toBe(1);
});

describe("frames lost to damage", () => {
  /** Makes packets of the video unreadable, each by its first bytes. */
  async function damage(packets: readonly number[]): Promise<void> {
    const path = join(folder, "clip.mp4");
    const clips = await clipFolder();
    const bytes = await readFile(path);
    for (const packet of packets) {
      const { position, size } = await positionOfPacket(clips, path, packet);
      for (let at = position + 4; at < position + size; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xa5;
    }
    await clips.remove();
    await writeFile(path, bytes);
  }
  const model = (): Model => modelOf(() => Promise.resolve(found(1)));

  test("are named in the result's notice", async () => {
    await damage([3, 4]);
    const { frames, notice } = await run(model(), undefined, undefined, 30);
    expect(frames).toBe(28);
    expect(notice).toMatchObject({
      code: "frames_missing",
      message: expect.stringMatching(/^28 of 30 frames/),
    });
  });

  test("fail the task if they are more than half of the video", async () => {
    await damage(Array.from({ length: 17 }, (_, at) => at + 2));
    const failing = run(model(), undefined, undefined, 30);
    await expect(failing).rejects.toMatchObject({
      code: "video_unreadable",
      message: expect.stringContaining("only 13"),
    });
  });
});

test("a video of HDR says so if this FFmpeg can't convert its colors, and else says nothing", async () => {
  const hdr = "-color_primaries bt2020 -colorspace bt2020nc -color_trc smpte2084 -pix_fmt yuv420p10le";
  const path = join(folder, "hdr.mp4");
  await runFfmpeg(["-i", join(folder, "clip.mp4"), "-c:v", "libx264", ...hdr.split(" "), path]);
  await rename(path, join(folder, "clip.mp4"));
  const without = join(folder, "ffmpeg");
  const command = findFfmpeg(process.env);
  await writeFile(without, `#!/bin/sh\ncase "$*" in *-filters) exit;; esac\nexec '${command}' "$@"\n`, {
    mode: 0o755,
  });
  const model = modelOf(() => Promise.resolve(found(1)));
  expect((await run(model, undefined, without)).notice?.code).toBe("hdr_not_converted");
  expect((await run(model)).notice).toBeNull();
});
