import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VideoTaskRequest } from "@segmentation/protocol";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { videoOutput } from "../support/reports.ts";
import { type Rig, startRig } from "../support/running-service.ts";
import { type Clip, crossing, leaving, pan, zoom } from "./clips.ts";
import { type ComparedFrame, allIds, compare, idsOf, ownersOn, shareFound, visibleShare } from "./compare.ts";
import { encode } from "./encode.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
const DOWNLOAD_MS = 600_000;
/** A frame takes the embedded model seconds on a small machine. */
const CLIP_MS = 900_000;
const OVERLAP = 0.85;

let rig: Rig;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "motion-"));
  rig = await startRig({ MODEL_FOLDER: await ensureBuiltin() }, LOADER);
  await rig.service.ready;
}, DOWNLOAD_MS);
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Makes the clip, has the service segment it, and holds what was stored against the truth. */
async function segment(
  key: string,
  clip: Clip,
  sampling: Partial<VideoTaskRequest["sampling"]>,
): Promise<ComparedFrame[]> {
  const path = join(folder, `${key}.mp4`);
  await encode(clip.scene, path);
  rig.worker.inputs.set(`${key}.mp4`, await readFile(path));
  const report = await rig.finishVideo({
    key,
    inputUrl: `${rig.worker.origin}/inputs/${key}.mp4`,
    prompts: [clip.prompt],
    sampling: { fps: null, numFrames: null, maxFrames: null, ...sampling },
  });
  const frames = compare(clip.scene, rig.worker.stored.get(`${key}/masks.json`) ?? expect.fail());
  expect(videoOutput(report).units).toBe(frames.length);
  return frames;
}

test(
  "ten seconds of a camera's pan give 60 frames with the cat where it is, under one id",
  { timeout: CLIP_MS },
  async () => {
    const frames = await segment("pan", await pan(), {});
    expect(frames).toHaveLength(60);
    expect(shareFound(frames, "cat", OVERLAP)).toBeGreaterThanOrEqual(0.95);
    expect(allIds(frames).size).toBe(1);
  },
);

test("a person whom the camera goes near keeps the mask and the id", { timeout: CLIP_MS }, async () => {
  const frames = await segment("zoom", await zoom(), { numFrames: 12 });
  expect(frames).toHaveLength(12);
  expect(shareFound(frames, "person", OVERLAP)).toBeGreaterThanOrEqual(0.95);
  expect(allIds(frames).size).toBe(1);
});

test("two people who walk past each other keep their ids", { timeout: CLIP_MS }, async () => {
  const frames = await segment("crossing", await crossing(), { fps: 5 });
  expect(frames).toHaveLength(20);
  const hidden = frames.filter((frame) => visibleShare(frame, "far") < 0.25);
  expect(hidden).not.toHaveLength(0);
  const clear = frames.filter((frame) => visibleShare(frame, "far") > 0.9);
  for (const frame of clear) expect(ownersOn(frame)).toEqual(["far", "near"]);
  expect(idsOf(frames, "near")).toHaveLength(1);
  expect(idsOf(clear, "far")).toHaveLength(1);
  expect(idsOf(frames, "far")).not.toContain(idsOf(frames, "near")[0]);
});

test(
  "a cup that left the picture comes back under its id, and the other keeps its own",
  { timeout: CLIP_MS },
  async () => {
    const frames = await segment("leaving", await leaving(), { fps: 4 });
    expect(frames).toHaveLength(16);
    const away = frames.filter((frame) => visibleShare(frame, "leaves") === 0);
    expect(away.length).toBeGreaterThanOrEqual(4);
    for (const frame of away) expect(ownersOn(frame)).toEqual(["stays"]);
    const there = frames.filter((frame) => visibleShare(frame, "leaves") > 0.5);
    for (const frame of there) expect(ownersOn(frame)).toEqual(["leaves", "stays"]);
    const [stays, leaves] = [idsOf(frames, "stays"), idsOf(frames, "leaves")];
    expect([stays.length, leaves.length]).toEqual([1, 1]);
    expect(stays).not.toEqual(leaves);
  },
);
