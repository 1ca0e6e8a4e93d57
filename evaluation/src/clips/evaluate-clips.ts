/** Measures how a model tracks an object through labeled videos, from its box in each video's first frame. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import sharp from "sharp";
import { Trajectory } from "../../../inference-container/src/following/trajectory.ts";
import { CLIP_MASK_THRESHOLD } from "@segmentation/masks";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import type { Model, OpenPicture } from "../../../inference-container/src/models/model.ts";
import { decodePicture } from "../../../inference-container/src/pictures/decode.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";
import { type Mask, maskIou, maskOfGrid, maskOfPixels, overlap } from "../measures/mask.ts";
import { boundsOf } from "../measures/bounds.ts";
import { share } from "../print.ts";
import { formatTable } from "../../../scripts/shared/table.ts";
import type { Provider } from "../../../inference-container/src/device/messages.ts";
import { mean } from "../measures/statistics.ts";
import { drawTile, type Tile, writeTiles } from "../contact-sheet.ts";

/** Frames per second of the labeled videos, and of the followed frames. */
const LABELLED_FPS = 24;
const FOLLOWED_FPS = 6;

const PIXEL_LIMIT = 100_000_000;

/** A validated command line; paths are as given. */
export interface EvaluateClipsCommand {
  readonly action: "evaluate-clips";
  readonly folder: string;
  /** The model's folder; undefined for the embedded model. */
  readonly model?: string | undefined;
  readonly provider: Provider;
  /** The videos by name; undefined for all. */
  readonly clips?: readonly string[] | undefined;
  /** The number of followed frames of each video; undefined for all. */
  readonly frames?: number | undefined;
  readonly sheet: string;
  readonly json: boolean;
}

/** A frame of a video, and its label. */
export interface LabelledFrame {
  readonly picture: string;
  readonly label: Mask;
}

/** The mask found in a frame; null if the object was lost. */
export interface FollowedFrame extends LabelledFrame {
  readonly found: Mask | null;
  readonly score: number | null;
  readonly iou: number;
}

/** Figures of a video, over all frames but the first, in which a box marks the object. */
export interface ClipFigures {
  readonly clip: string;
  readonly frames: number;
  /**
   * The mean IoU; null if there is no further frame. A frame in which the object is lost counts as 0, or as 1 if the
   * label is empty too.
   */
  readonly j: number | null;
  /** The share of all drawn pixels that the labels have; null without any. */
  readonly precision: number | null;
  readonly lost: number;
  readonly secondsPerFrame: number;
}

/** Follows the object in each of the folder's videos, and writes the worst frames as a picture. @throws Failure if there is no video */
export async function evaluateClips(
  command: EvaluateClipsCommand,
  signal: AbortSignal,
): Promise<ClipFigures[]> {
  const model = await loadModel(command.model ?? (await ensureBuiltin()), { provider: command.provider });
  try {
    const figures: ClipFigures[] = [];
    const worst: Tile[] = [];
    for (const clip of command.clips ?? (await clipsOf(command.folder))) {
      signal.throwIfAborted();
      const frames = (await readClip(command.folder, clip)).slice(0, command.frames);
      const started = performance.now();
      const followed = await followFrames(model, frames);
      const seconds = (performance.now() - started) / 1_000;
      figures.push(figuresOf(clip, followed, seconds / frames.length));
      worst.push(...(await worstTiles(clip, followed)));
    }
    await writeTiles(command.sheet, worst);
    return figures;
  } finally {
    await model.close();
  }
}

async function clipsOf(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "JPEGImages", "480p")).catch(() => []);
  if (names.length === 0)
    throw new Failure(
      `${folder} has no videos. Lay it out as JPEGImages/480p/CLIP/*.jpg and Annotations/480p/CLIP/*.png.`,
    );
  return names.toSorted((a, b) => a.localeCompare(b));
}

/** The followed frames of a video. @throws Failure if it has none, or the object is not in the first one */
async function readClip(folder: string, clip: string): Promise<LabelledFrame[]> {
  const pictures = join(folder, "JPEGImages", "480p", clip);
  const names = (await readdir(pictures).catch(() => []))
    .filter((name) => name.endsWith(".jpg"))
    .toSorted((a, b) => a.localeCompare(b));
  const frames: LabelledFrame[] = [];
  for (const [at, name] of names.entries()) {
    if (at % (LABELLED_FPS / FOLLOWED_FPS) !== 0) continue;
    const label = join(folder, "Annotations", "480p", clip, name.replace(/\.jpg$/, ".png"));
    frames.push({ picture: join(pictures, name), label: await readLabel(label) });
  }
  if ((frames[0]?.label.area ?? 0) === 0)
    throw new Failure(`The video ${clip} has no frames, or no label in the first one.`);
  return frames;
}

async function readLabel(path: string): Promise<Mask> {
  const { data, info } = await sharp(path)
    .toColourspace("srgb")
    .removeAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      throw new Failure(`The label ${path} can't be read.`);
    });
  const { width, height, channels } = info;
  const set = new Uint8Array(width * height);
  for (const [at, value] of data.entries()) if (value > 0) set[Math.floor(at / channels)] = 1;
  return maskOfPixels(set, width, height);
}

/** Follows the first frame's object through the others. */
export async function followFrames(model: Model, frames: readonly LabelledFrame[]): Promise<FollowedFrame[]> {
  const followed: FollowedFrame[] = [];
  let trajectory: Trajectory | undefined;
  for (const [at, frame] of frames.entries()) {
    const picture = await decodePicture(frame.picture, "", PIXEL_LIMIT);
    using open = await opened(model, { ...picture, contentHash: null });
    const timeSec = at / FOLLOWED_FPS;
    if (trajectory === undefined) {
      const { left, top, right, bottom } = boundsOf(frame.label);
      const regions = new Map([[timeSec, { box: [left, top, right, bottom] as const }]]);
      trajectory = new Trajectory([{ objectId: 1, regions }], picture, 1);
    }
    const { following } = open;
    const [seen] = following === undefined ? [] : await trajectory.next(timeSec, following);
    const found = seen === undefined ? null : maskOfGrid(seen.mask, frame.label, CLIP_MASK_THRESHOLD);
    const iou = found === null ? Number(frame.label.area === 0) : maskIou(found, frame.label);
    followed.push({ ...frame, found, score: seen?.score ?? null, iou });
  }
  return followed;
}

async function opened(model: Model, picture: Parameters<Model["segment"]>[0]): Promise<OpenPicture> {
  const request = { prompts: [], threshold: 0.5, withFaint: false, inClip: true, keepOpen: true };
  const { open } = await model.segment(picture, request);
  if (open?.following === undefined)
    throw new Failure(`The family ${model.family} does not follow what is pointed at.`);
  return open;
}

/** Figures of the frames after the first. */
export function figuresOf(
  clip: string,
  followed: readonly FollowedFrame[],
  secondsPerFrame: number,
): ClipFigures {
  const rest = followed.slice(1);
  let [drawn, right] = [0, 0];
  for (const { found, label } of rest) {
    if (found === null) continue;
    drawn += found.area;
    right += overlap(found, label);
  }
  return {
    clip,
    frames: rest.length,
    j: mean(rest.map(({ iou }) => iou)),
    precision: drawn === 0 ? null : right / drawn,
    lost: rest.filter(({ found }) => found === null).length,
    secondsPerFrame,
  };
}

/** The number of a video's frames on the sheet. */
const SHOWN = 4;

/** The frames with the worst masks. */
async function worstTiles(clip: string, followed: readonly FollowedFrame[]): Promise<Tile[]> {
  const worst = followed
    .slice(1)
    .toSorted((a, b) => a.iou - b.iou)
    .slice(0, SHOWN);
  return Promise.all(
    worst.map(async ({ picture, label, found, score, iou }) => {
      const whole = { left: 0, top: 0, width: label.width, height: label.height };
      const said = score === null ? "lost" : `confidence ${score.toFixed(2)}`;
      return {
        canvas: await drawTile(picture, whole, label, found),
        caption: [`${clip} ${basename(picture)}`, `IoU ${iou.toFixed(3)}, ${said}`],
      };
    }),
  );
}

/** The figures as a table for a terminal. */
export function clipLines(figures: readonly ClipFigures[]): string[] {
  const rows = figures.map(({ clip, frames, j, precision, lost, secondsPerFrame }) => [
    clip,
    String(frames),
    share(j),
    share(precision),
    String(lost),
    secondsPerFrame.toFixed(1),
  ]);
  const all = figures.flatMap(({ j }) => j ?? []);
  return formatTable(
    ["video", "frames", "J", "precision", "lost", "seconds per frame"],
    [...rows, ["mean", "", share(mean(all)), "", "", ""]],
  );
}
