import { ASSETS } from "../contract.ts";
import { readBlob, readJson } from "../http/read.ts";
import { type Bitmap, type Box, decodeRle, type Rle } from "@segmentation/masks";
import type { JobStatus, VideoManifest } from "../schemas.ts";
import { assetKey } from "./assets.ts";
import type { JobFiles } from "./files.ts";

/** The service's masks.json. */
export interface MasksJson {
  readonly version: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Every processed frame, with or without objects. */
  readonly frames: readonly {
    readonly sampleIdx: number;
    readonly frameIdx: number;
    readonly timeSec: number;
    readonly objects: readonly {
      readonly objectId: number;
      readonly promptIndex: number;
      readonly score: number;
      readonly box: readonly [x1: number, y1: number, x2: number, y2: number];
      readonly rle: Rle;
    }[];
  }[];
}

/** An object in one frame. */
export interface Sighting {
  /** Counts the processed frames, from 0. */
  readonly sampleIdx: number;
  /** Counts the clip's frames, from 0. */
  readonly frameIdx: number;
  readonly timeSec: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly box: Box;
  readonly rle: Rle;
  /** The pixels, row by row. */
  readonly bitmap: () => Bitmap;
}

/** An object that is followed through a clip. */
export interface Track {
  readonly objectId: number;
  readonly prompt: string;
  /** The frames that it was seen in, in their order. */
  readonly sightings: readonly Sighting[];
}

type Item = VideoManifest["items"][number];

/** A clip of a job, with what was found in it. */
export interface Clip {
  readonly taskId: string;
  /** The file's name, or the taskId of one without. */
  readonly name: string;
  /** How many frames were processed, how many of them have masks, and how many masks there are. */
  readonly counts: Item["counts"];
  /** The objects, in the order in which they appear. */
  readonly tracks: readonly Track[];
  /** The service's own file. */
  readonly masksJson: MasksJson;
}

/** What a video job has found. */
export class VideoResult implements Clip {
  readonly job: JobStatus;
  readonly files: JobFiles;
  readonly taskId!: string;
  readonly name!: string;
  readonly counts!: Item["counts"];
  readonly tracks!: readonly Track[];
  readonly masksJson!: MasksJson;

  constructor(files: JobFiles, job: JobStatus, clip: Clip) {
    Object.assign(this, clip);
    this.files = files;
    this.job = job;
  }

  get jobId(): string {
    return this.job.jobId;
  }

  /** The clip with its masks drawn on it, of a job with `generatePreview`. @throws SegmentationError if there is none */
  async preview(): Promise<Blob> {
    return await this.files.read(assetKey(ASSETS.video.preview, this.taskId), readBlob);
  }
}

/** Fetches a clip's masks. @throws SegmentationError */
export async function loadVideo(
  files: JobFiles,
  manifest: VideoManifest,
  job: JobStatus,
  names: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<VideoResult> {
  const [item] = manifest.items;
  if (item === undefined) throw new TypeError("The job has no clip.");
  const { taskId, counts } = item;
  const masksJson = await files.read(assetKey(ASSETS.video.masks, taskId), readJson<MasksJson>, signal);
  const tracks = tracksOf(masksJson, manifest.prompts);
  return new VideoResult(files, job, {
    taskId,
    name: names.get(taskId) ?? taskId,
    counts,
    tracks,
    masksJson,
  });
}

/** The precision of the service's boxes, which a difference of two binary fractions hides behind a dozen digits. */
const hundredths = (pixels: number): number => Math.round(pixels * 100) / 100;

/** The objects of all frames, put together by their ids, in the order in which they appear. */
function tracksOf({ frames }: MasksJson, prompts: readonly string[]): Track[] {
  const tracks = new Map<number, Track & { readonly sightings: Sighting[] }>();
  for (const { objects, ...frame } of frames)
    for (const { objectId, promptIndex, score, box, rle } of objects) {
      const track = tracks.get(objectId) ?? { objectId, prompt: prompts[promptIndex] ?? "", sightings: [] };
      tracks.set(objectId, track);
      const [x1, y1, x2, y2] = box;
      track.sightings.push({
        ...frame,
        confidence: score,
        box: [x1, y1, hundredths(x2 - x1), hundredths(y2 - y1)],
        rle,
        bitmap: () => decodeRle(rle),
      });
    }
  return [...tracks.values()];
}
