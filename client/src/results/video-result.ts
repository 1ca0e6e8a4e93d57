import { ASSETS } from "../contract.ts";
import { readBlob } from "../http/read.ts";
import type { Bitmap, Box, Rle } from "@segmentation/masks";
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
      /** Index of its prompt; absent if a region points at it. */
      readonly promptIndex?: number;
      /** The first of the job's regions that points at it, from 0; absent if a prompt found it. */
      readonly regionIndex?: number;
      /** Label of its regions, if the job has one. */
      readonly label?: string;
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
  /** Counts the video's frames, from 0. */
  readonly frameIdx: number;
  readonly timeSec: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly box: Box;
  readonly rle: Rle;
  /** The pixels, row by row. */
  readonly bitmap: () => Bitmap;
}

/** A tracked object of a video. */
export interface Track {
  readonly objectId: number;
  /** The prompt that it answers; undefined if a region points at it. */
  readonly prompt: string | undefined;
  /** The first of the job's regions that points at it, from 0; undefined if a prompt found it. */
  readonly region?: number | undefined;
  /** Label of its regions, if the job has one. */
  readonly label?: string | undefined;
  /** The frames that it was seen in, in their order. */
  readonly sightings: readonly Sighting[];
}

type Item = VideoManifest["items"][number];

/** A job's video, with the objects found in it. */
export interface Clip {
  readonly taskId: string;
  /** The file's name, or the taskId of one without. */
  readonly name: string;
  /** Numbers of processed frames, of frames with masks, and of masks. */
  readonly counts: Item["counts"];
  /** The objects, in the order in which they appear. */
  readonly tracks: readonly Track[];
  /** The service's own file. */
  readonly masksJson: MasksJson;
}

/** Result of a video job. */
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

  /** The video with its masks drawn on it, of a job with `generatePreview`. @throws SegmentationError if there is none */
  async preview(): Promise<Blob> {
    return await this.files.read(assetKey(ASSETS.video.preview, this.taskId), readBlob);
  }
}
