import { execFileSync } from "node:child_process";
import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";

/** An MP4 (640 × 480, 12 frames per second) of a camera that pans over the sample photograph of a cat. */
export function panClip(seconds: number): Uint8Array<ArrayBuffer> {
  const pan = "scale=902:600,crop=640:480:x='40*t':y=90,format=yuv420p";
  const from = ["-loop", "1", "-framerate", "12", "-t", String(seconds), "-i", "samples/chelsea.png"];
  // A fragmented file needs no seeking, so FFmpeg can write it to a pipe. With B-frames it would begin later than 0.
  const to = ["-c:v", "libx264", "-bf", "0", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "pipe:1"];
  const clip = execFileSync(findFfmpeg(process.env), ["-v", "error", ...from, "-vf", pan, ...to], {
    maxBuffer: 16 * 1_048_576,
  });
  return new Uint8Array(clip);
}

/** An MP4 of the sample photograph of a cat, all frames of which have exactly its pixels: one per second, each with a known result. */
export function stillClip(seconds: number): Uint8Array<ArrayBuffer> {
  const from = ["-loop", "1", "-framerate", "1", "-t", String(seconds), "-i", "samples/chelsea.png"];
  const to = [
    "-c:v",
    "libx264rgb",
    "-qp",
    "0",
    "-movflags",
    "frag_keyframe+empty_moov",
    "-f",
    "mp4",
    "pipe:1",
  ];
  return new Uint8Array(
    execFileSync(findFfmpeg(process.env), ["-v", "error", ...from, ...to], { maxBuffer: 16 * 1_048_576 }),
  );
}
