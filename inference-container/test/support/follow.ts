import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { VideoTask } from "../../src/messages.ts";
import type { Model } from "../../src/models/model.ts";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";
import { runVideo } from "../../src/engine/run-video.ts";
import { colourModel, type Disc, type Film, filmed, RATE, visible } from "./video/coloured-scene.ts";
import { MasksJson } from "./masks/masks-json.ts";
import { decodeRle } from "./masks/plain-rle.ts";

interface Asked {
  /** The folder for its files; a new one by default. */
  readonly folder?: string;
  readonly regions: NonNullable<VideoTask["regions"]>;
  readonly frames: number;
  readonly prompts?: readonly string[];
  readonly model?: Model;
  readonly formats?: VideoTask["formats"];
  readonly generatePreview?: boolean;
  readonly sampling?: VideoTask["sampling"];
}

/** A folder that lasts as long as the test. */
export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "following-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const EVERY: VideoTask["sampling"] = { fps: null, numFrames: null, maxFrames: null };

/** The followed objects of a film's video, frame by frame. */
export async function follow(film: Film, asked: Asked, processed = asked.frames) {
  const { regions, frames, prompts = [], model = colourModel(), formats, generatePreview = false } = asked;
  const { sampling = EVERY, folder = await scratch() } = asked;
  await writeFile(join(folder, "clip.mp4"), filmed(film, frames));
  const task: VideoTask = {
    type: "video",
    key: "film",
    lane: "bulk",
    inputPath: join(folder, "clip.mp4"),
    folder,
    prompts,
    regions,
    generatePreview,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, seconds: 100, frames: 1_000 },
    scoreThreshold: 0.5,
    sampling,
    ...(formats !== undefined && { formats }),
  };
  const { signal } = new AbortController();
  const done: number[] = [];
  const progress = (count: number): void => void done.push(count);
  await runVideo(model, findFfmpeg(process.env), task, { at: () => undefined, progress, signal });
  const written = MasksJson.parse(JSON.parse(await readFile(join(folder, "masks.json"), "utf8")));
  expect(written.frames).toHaveLength(processed);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  return written.frames.map(({ objects }) => objects);
}

export type Frames = Awaited<ReturnType<typeof follow>>;

/** The numbers of the frames with an object. */
export const framesWith = (frames: Frames, objectId: number): number[] =>
  frames.flatMap((objects, frame) => (objects.some((one) => one.objectId === objectId) ? [frame] : []));

/** The IoU of an object's mask with the visible part of a disc; 0 where it has none. */
export function overlap(frames: Frames, objectId: number, film: Film, frame: number, disc: number): number {
  const rle = frames[frame]?.find((one) => one.objectId === objectId)?.rle;
  if (rle === undefined) return 0;
  const mask = decodeRle(rle);
  let [both, either] = [0, 0];
  for (const [at, set] of visible(film, frame, disc).entries()) {
    if (mask[at] === true && set === 1) both += 1;
    if (mask[at] === true || set === 1) either += 1;
  }
  return both / either;
}

/** A region of one positive point, at a time. */
export const click = (x: number, y: number, timeSeconds: number, more: object = {}) => ({
  index: 0,
  timeSeconds,
  points: [{ x, y, label: 1 as const }],
  ...more,
});

/** The integers from `from` up to, and without, `to`. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

/** The time at which a frame is shown. */
export const inFrame = (frame: number): number => frame / RATE;

export const disc = (colour: Disc["colour"], x: number, y: number, radius = 24): Disc => ({
  colour,
  x,
  y,
  radius,
});
