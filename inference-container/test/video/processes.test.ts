import { chmod, readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Clip } from "../../src/video/clip.ts";
import { FfmpegRun } from "../../src/video/ffmpeg-run.ts";
import { readFrames, type Frame } from "../../src/video/frames.ts";
import { PreviewEncoder } from "../../src/video/preview-encoder.ts";
import { probeClip } from "../../src/video/probe.ts";
import { clipFolder, ffmpeg, type ClipFolder } from "../support/video/clips.ts";

const LENGTH = 1_800;
const SIZE = { width: 256, height: 192 };
const never = new AbortController().signal;
let clips: ClipFolder;
/** The path of an FFmpeg that records each process that is started. */
let recording = "";
let clip: Clip;

beforeAll(async () => {
  clips = await clipFolder();
  const source = `testsrc=s=${SIZE.width}x${SIZE.height}:r=25:d=${LENGTH / 25}`;
  const path = await clips.make("-f", "lavfi", "-i", source, "-c:v", "mpeg4", "-q:v", "20", "long.mp4");
  recording = await script("recording", `echo $$ >> '${clips.path("processes")}'\nexec '${ffmpeg}' "$@"`);
  clip = await probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 600 }, never);
});
afterAll(() => clips.remove());
beforeEach(() => writeFile(clips.path("processes"), ""));

async function script(name: string, body: string): Promise<string> {
  await writeFile(clips.path(name), `#!/bin/sh\n${body}\n`);
  await chmod(clips.path(name), 0o755);
  return clips.path(name);
}

/** An FFmpeg that says nothing for long. */
const slowFfmpeg = (): Promise<string> =>
  script("slow", `echo $$ >> '${clips.path("processes")}'\nexec sleep 600`);

/** The processes that were started, and those still running. */
async function processes(): Promise<{ started: number; running: number[] }> {
  const ids = (await readFile(clips.path("processes"), "utf8")).split("\n").filter(Boolean).map(Number);
  const running = ids.filter((id) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  });
  return { started: ids.length, running };
}

/** Frees frames that are no longer in use: they must not count. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("Node has no gc()");
  // The second waits until the first has freed everything.
  collect();
  collect();
}

const everySecond = Array.from({ length: LENGTH / 2 }, (_, at) => at * 2);
const read = (indexes: readonly number[], signal: AbortSignal): AsyncGenerator<Frame> =>
  readFrames(recording, clip, indexes, SIZE, signal);

test("900 frames apart from each other are found, while memory holds a few", async () => {
  const frameBytes = 3 * SIZE.width * SIZE.height;
  const before = process.memoryUsage().arrayBuffers;
  const seen: number[] = [];
  let most = 0;
  for await (const { frameIdx } of read(everySecond, never)) {
    seen.push(frameIdx);
    if (seen.length % 150 !== 0) continue;
    collectGarbage();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(seen).toEqual(everySecond);
  expect(most).toBeLessThan(60 * frameBytes);
  expect(await processes()).toEqual({ started: 1, running: [] });
});

test("FFmpeg waits for the reader of the frames", async () => {
  const frames = read([...clip.times.keys()], never);
  await frames.next();
  await pause(300);
  const before = process.memoryUsage().arrayBuffers;
  await pause(700);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * 3 * SIZE.width * SIZE.height);
  expect((await processes()).running).toHaveLength(1);
  await frames.return(undefined);
});

test("a reader that stops early leaves no process", async () => {
  for await (const { sampleIdx } of read(everySecond, never)) if (sampleIdx === 2) break;
  expect(await processes()).toEqual({ started: 1, running: [] });
});

test("an abort between frames ends the reading and its process", async () => {
  const abort = new AbortController();
  const frames = read(everySecond, abort.signal);
  await frames.next();
  abort.abort(new Error("dropped"));
  await expect(
    (async () => {
      for await (const frame of frames) expect(frame.rgb).toBeDefined();
    })(),
  ).rejects.toThrow("dropped");
  expect(await processes()).toEqual({ started: 1, running: [] });
});

test("an abort while the next frame is waited for ends the reading and its process", async () => {
  const abort = new AbortController();
  const slow = await slowFfmpeg();
  const next = readFrames(slow, clip, [LENGTH - 1], SIZE, abort.signal).next();
  await expect.poll(async () => (await processes()).started).toBe(1);
  abort.abort(new Error("dropped"));
  await expect(next).rejects.toThrow("dropped");
  expect((await processes()).running).toEqual([]);
});

test("an abort ends a probe and its process", async () => {
  const abort = new AbortController();
  const slow = await slowFfmpeg();
  const probe = probeClip(slow, clips.path("long.mp4"), { inputPixels: 1e6, seconds: 600 }, abort.signal);
  await expect.poll(async () => (await processes()).started).toBe(1);
  abort.abort(new Error("dropped"));
  await expect(probe).rejects.toThrow("dropped");
  expect((await processes()).running).toEqual([]);
});

test("nothing is started once the signal has aborted", async () => {
  const frames = read(everySecond, AbortSignal.abort(new Error("dropped")));
  await expect(frames.next()).rejects.toThrow("dropped");
  expect((await processes()).started).toBe(0);
});

test("a probe that refuses a video leaves no process", async () => {
  const limits = { inputPixels: 1e6, seconds: 10 };
  await expect(probeClip(recording, clips.path("long.mp4"), limits, never)).rejects.toThrow("10 seconds");
  expect(await processes()).toEqual({ started: 1, running: [] });
});

test("a stalled FFmpeg is killed, and the task may be tried again", async () => {
  const still = await script(
    "still",
    `echo $$ >> '${clips.path("processes")}'\necho so far >&2\nexec sleep 600`,
  );
  await using run = new FfmpegRun(still, [], { signal: never, stallSeconds: 0.3 });
  await expect(run.finished()).rejects.toMatchObject({
    code: "video_stalled",
    retryable: true,
    cause: "so far\n",
  });
  expect((await processes()).running).toEqual([]);
});

test("the service waits for an FFmpeg with a known long silence at its end", async () => {
  const silent = await script("silent", "exec sleep 0.5");
  await using run = new FfmpegRun(silent, [], { signal: never, stallSeconds: 0.1 });
  expect(await run.finished(60)).toBe(true);
});

test("a slow FFmpeg is not taken for a stalled one", async () => {
  const steady = await script("steady", "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.1; done");
  await using run = new FfmpegRun(steady, [], { signal: never, stallSeconds: 0.6 });
  let output = "";
  for await (const piece of run.output()) output += piece.toString();
  expect(output).toBe("1\n2\n3\n4\n5\n6\n7\n8\n");
  expect(await run.finished()).toBe(true);
});

test("an FFmpeg that crashes is no fault of the video", async () => {
  const crashing = await script("crashing", "kill -SEGV $$");
  await expect(
    probeClip(crashing, clips.path("long.mp4"), { inputPixels: 1e6, seconds: 600 }, never),
  ).rejects.toMatchObject({ code: "video_crashed", retryable: true });
});

test("an FFmpeg that can't be started is reported", async () => {
  const missing = clips.path("missing");
  await expect(
    probeClip(missing, clips.path("long.mp4"), { inputPixels: 1e6, seconds: 600 }, never),
  ).rejects.toThrow("could not be started");
});

test("the end of its log is kept, and no more", async () => {
  const chatty = await script("chatty", "yes 'a line of the log' | head -n 20000 >&2; echo the end >&2");
  await using run = new FfmpegRun(chatty, [], { signal: never });
  await run.finished();
  expect(run.log.endsWith("the end\n")).toBe(true);
  expect(run.log.length).toBeLessThanOrEqual(16_384);
});

test("an abort ends the encoder of a preview and its process", async () => {
  const abort = new AbortController();
  await using encoder = PreviewEncoder.open(recording, clips.path("aborted.mp4"), SIZE, 1, abort.signal);
  await encoder.write(new Uint8Array(3 * SIZE.width * SIZE.height), 0);
  abort.abort(new Error("dropped"));
  await expect(encoder.finish()).rejects.toThrow("dropped");
  expect(await processes()).toEqual({ started: 1, running: [] });
});

test("an encoder that is left before its end leaves no process", async () => {
  {
    await using encoder = PreviewEncoder.open(recording, clips.path("left.mp4"), SIZE, 1, never);
    await encoder.write(new Uint8Array(3 * SIZE.width * SIZE.height), 0);
  }
  expect(await processes()).toEqual({ started: 1, running: [] });
});
