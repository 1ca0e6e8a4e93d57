/** The service with the embedded model, for the videos that the tests of this folder make. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { VideoTaskRequest } from "@segmentation/protocol";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { videoOutput } from "../support/service/reports.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";
import type { Clip } from "./clips.ts";
import { type ComparedFrame, compare } from "./compare.ts";
import { encode } from "./encode.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
const DOWNLOAD_MS = 600_000;

/** Makes a video, lets the service segment it, and compares the stored result with the truth. */
export type Segment = (
  clip: Clip,
  sampling: Partial<VideoTaskRequest["sampling"]>,
) => Promise<ComparedFrame[]>;

/** The module of a detector that misses everything in the frames from one, counted from 0, to before another. */
export const missingDetector = (from: number, to: number): string =>
  new URL(`missing-detector.ts?from=${from}&to=${to}`, import.meta.url).href;

/** A video's word, or the regions of its objects. */
const asked = (clip: Clip): Pick<VideoTaskRequest, "prompts" | "regions"> =>
  "regions" in clip ? { prompts: [], regions: [...clip.regions] } : { prompts: [clip.prompt] };

/** Starts the service before a file's tests and ends it after them. @param loader the module that loads the model */
export function segmenting(loader = LOADER): Segment {
  let rig: Rig;
  let folder: string;
  let clips = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "motion-"));
    rig = await startRig({ MODEL_FOLDER: await ensureBuiltin() }, loader);
    await rig.service.ready;
  }, DOWNLOAD_MS);
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return async (clip, sampling) => {
    clips += 1;
    const key = `clip-${clips}`;
    const path = join(folder, `${key}.mp4`);
    await encode(clip.scene, path);
    rig.worker.inputs.set(`${key}.mp4`, await readFile(path));
    const report = await rig.finishVideo({
      key,
      inputUrl: `${rig.worker.origin}/inputs/${key}.mp4`,
      ...asked(clip),
      sampling: { fps: null, numFrames: null, maxFrames: null, ...sampling },
    });
    const frames = compare(clip.scene, rig.worker.stored.get(`${key}/masks.json`) ?? expect.fail());
    expect(videoOutput(report).units).toBe(frames.length);
    return frames;
  };
}
