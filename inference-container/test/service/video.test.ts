import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { findMarked } from "../../../scripts/shared/marked-processes.ts";
import { MasksJson } from "../support/masks/masks-json.ts";
import { movingSquare, squareLeft } from "../support/video/moving-square.ts";
import { videoOutput } from "../support/service/reports.ts";
import { type Rig, startRig, until } from "../support/service/running-service.ts";

const CLIP = movingSquare(4);
const LONG_CLIP = movingSquare(30);

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ HEARTBEAT_SECONDS: "0.1" });
  rig.worker.inputs.set("clip.mp4", CLIP);
  rig.worker.inputs.set("long.mp4", LONG_CLIP);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  delete process.env["VIDEO_TEST"];
});

const every = { fps: null, numFrames: null, maxFrames: null };
const masksOf = (key: string): z.infer<typeof MasksJson> =>
  MasksJson.parse(JSON.parse(rig.worker.stored.get(`${key}/masks.json`)?.toString() ?? ""));

/** Marks all FFmpegs that this file's services started, orphans too. */
const MARK = { VIDEO_TEST: randomUUID() };
Object.assign(process.env, MARK);
const ffmpegs = (): number[] =>
  findMarked(MARK).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("ffmpeg");
    } catch {
      return false;
    }
  });

test("a video's masks and preview are stored and reported [4.3-9]", async () => {
  const report = await rig.finishVideo({ key: "whole", generatePreview: true });
  expect(videoOutput(report)).toMatchObject({
    type: "video",
    units: 24,
    framesWithMasks: 24,
    totalMasks: 24,
    masks: "masks.json",
    preview: "preview.mp4",
    notice: null,
  });
  const { width, height, fps, frames } = masksOf("whole");
  expect([width, height, frames.length]).toEqual([320, 240, 24]);
  expect(fps).toBeCloseTo(6, 1);
  expect(rig.worker.stored.get("whole/preview.mp4")?.subarray(4, 8).toString()).toBe("ftyp");
});

test("an object that moves keeps its id, and is where it was at the frame's time [2.5-13]", async () => {
  await rig.finishVideo({ key: "moving", sampling: { ...every, fps: 3 } });
  const { frames } = masksOf("moving");
  expect(frames.map(({ sampleIdx }) => sampleIdx)).toEqual([...frames.keys()]);
  expect(frames.flatMap(({ objects }) => objects.map(({ objectId }) => objectId))).toEqual(
    frames.map(() => 1),
  );
  for (const { timeSec, frameIdx, objects } of frames) {
    expect(timeSec).toBeCloseTo(frameIdx / 15, 5);
    // The fixture model's grid has cells of ten pixels.
    expect(Math.abs((objects[0]?.box[0] ?? 0) - squareLeft(timeSec))).toBeLessThanOrEqual(10);
  }
});

test.for([
  [{ ...every, numFrames: 7 }, 7],
  [{ ...every, numFrames: 1_000 }, 60],
  [{ ...every, fps: 2 }, 8],
  [{ ...every, fps: 2, maxFrames: 5 }, 5],
  [{ ...every, maxFrames: 3 }, 3],
] as const)("sampling %o of a video with 60 frames processes %i [4.3-11]", async ([sampling, frames]) => {
  expect(videoOutput(await rig.finishVideo({ sampling })).units).toBe(frames);
});

test("frames without objects are listed too, and finding nothing is a success [2.5-12]", async () => {
  const report = await rig.finishVideo({ key: "none", prompts: ["nothing"] });
  expect(videoOutput(report)).toMatchObject({ units: 24, framesWithMasks: 0, totalMasks: 0 });
  expect(masksOf("none").frames).toHaveLength(24);
});

test("objects below the scoreThreshold are left out [4.3-10]", async () => {
  const prompts = ["faint", "bright"];
  const sampling = { ...every, numFrames: 3 };
  const totals = [];
  for (const scoreThreshold of [0.2, 0.5, 0.95]) {
    totals.push(videoOutput(await rig.finishVideo({ prompts, scoreThreshold, sampling })).totalMasks);
  }
  expect(totals).toEqual([6, 3, 0]);
});

test("a video fails if no prompt could be served, and has a notice if another could", async () => {
  expect(await rig.finishVideo({ prompts: ["unicorn"] })).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "prompt_outside_vocabulary" },
  });
  const report = await rig.finishVideo({
    prompts: ["unicorn", "bright"],
    sampling: { ...every, numFrames: 2 },
  });
  expect(videoOutput(report).notice?.code).toBe("prompt_outside_vocabulary");
});

test("a video that would give more frames than the operator allows fails by name", async () => {
  const limits = { inputBytes: 50_000_000, inputPixels: 9_000_000, seconds: 1_200, frames: 10 };
  expect(await rig.finishVideo({ limits })).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "too_many_frames" },
  });
  expect(videoOutput(await rig.finishVideo({ limits, sampling: { ...every, maxFrames: 10 } })).units).toBe(
    10,
  );
});

test("a picture in a video's place fails by name", async () => {
  const inputUrl = `${rig.worker.origin}/inputs/bright.png`;
  expect(await rig.finishVideo({ inputUrl })).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "video_unreadable" },
  });
});

test("progress reports frames done of all frames", async () => {
  const sampling = { ...every, numFrames: 6 };
  await rig.finishVideo({ key: "counted", prompts: ["slow", "bright"], sampling });
  const reports = rig.worker.progress.get("counted") ?? [];
  const ofFrames = reports.filter(({ total }) => total === 6).map(({ done }) => done);
  expect(ofFrames).toEqual(ofFrames.toSorted((a, b) => a - b));
  expect(ofFrames.some((done) => done > 0 && done < 6)).toBe(true);
});

test("pictures pass between a video's frames, and a second video waits for the first", async () => {
  const slow = { prompts: ["slow"], sampling: { ...every, numFrames: 6 } };
  const first = rig.finishVideo({ key: "first", ...slow });
  await until(async () => (await (await rig.ask("/v1/tasks/first")).text()).includes("running"));
  const second = rig.finishVideo({ key: "second", ...slow });
  expect((await rig.finish()).outcome).toBe("success");
  expect(rig.worker.completions.has("first")).toBe(false);
  expect(await (await rig.ask("/v1/tasks/second")).json()).toMatchObject({ state: "queued" });
  await rig.ask("/v1/tasks/second", {
    method: "DELETE",
    headers: { authorization: "Bearer a-token-for-the-service" },
  });
  await first;
  void second;
});

test.for(["DELETE", "a lost lease"] as const)("%s ends a video's FFmpeg and its run", async (how) => {
  const key = how === "DELETE" ? "deleted" : "superseded";
  const inputUrl = `${rig.worker.origin}/inputs/long.mp4`;
  await rig.post(rig.worker.videoRequest({ key, inputUrl, prompts: ["slow"], generatePreview: true }));
  await until(() => ffmpegs().length > 0);
  if (how === "DELETE") {
    const headers = { authorization: "Bearer a-token-for-the-service" };
    await rig.ask(`/v1/tasks/${key}`, { method: "DELETE", headers });
  } else {
    rig.worker.lost.add(key);
  }
  await until(() => ffmpegs().length === 0);
  await until(async () => (await (await rig.ask(`/v1/tasks/${key}`)).text()).includes("done"));
  expect(rig.worker.completions.has(key)).toBe(false);
  expect((await rig.finish()).outcome).toBe("success");
});

test("an engine that is killed takes FFmpeg along, and the video fails as retryable", async () => {
  const inputUrl = `${rig.worker.origin}/inputs/long.mp4`;
  const report = rig.finishVideo({ inputUrl, prompts: ["slow"], generatePreview: true });
  await until(() => ffmpegs().length > 0);
  process.kill(rig.service.enginePid() ?? 0, "SIGKILL");
  expect(await report).toMatchObject({ outcome: "failed", retryable: true });
  await until(() => ffmpegs().length === 0);
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
});

test("the service says that it takes videos", async () => {
  expect(await (await rig.ask("/v1/model")).json()).toMatchObject({
    capabilities: { types: ["image", "video"] },
  });
});
