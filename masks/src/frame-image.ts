import type { Size } from "./grids/region.ts";

/** A processed frame of a video, as masks.json has it. */
interface Frame {
  /** Its place among the processed frames, from 0. */
  readonly sampleIdx: number;
  /** Its place among the video's frames, from 0. */
  readonly frameIdx: number;
  /** Seconds from the video's start. */
  readonly timeSec: number;
}

/** A frame as a COCO image: `frame_id` counts the processed frames, `frame_index` the video's frames, both from 0. */
export interface FrameImage extends Size {
  readonly id: number;
  readonly video_id: number;
  readonly frame_id: number;
  readonly frame_index: number;
  /** Seconds from the video's start. */
  readonly time: number;
  readonly file_name: string;
}

/** As many digits as FFmpeg's `%06d` has. */
const FRAME_DIGITS = 6;
const MICROSECONDS = 1e6;

/** Describes a frame as a COCO image. @param name of the folder of the video's frames */
export const frameImageOf = (
  name: string,
  video_id: number,
  size: Size,
  { sampleIdx, frameIdx, timeSec }: Frame,
): FrameImage => ({
  id: sampleIdx + 1,
  video_id,
  frame_id: sampleIdx,
  frame_index: frameIdx,
  time: Math.round(timeSec * MICROSECONDS) / MICROSECONDS,
  width: size.width,
  height: size.height,
  file_name: `${name}/${String(frameIdx).padStart(FRAME_DIGITS, "0")}.jpg`,
});
