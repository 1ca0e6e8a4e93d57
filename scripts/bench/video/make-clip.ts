import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../../shared/root.ts";

const run = promisify(execFile);

/** A prompt for the object in the video. */
export const CLIP_PROMPT = "cat";

/** An offset as an FFmpeg expression of time: from 0 to `pixels` and back within `period` seconds. */
const swing = (pixels: number, period: number): string => `${pixels / 2}*(1-cos(2*PI*t/${period}))`;

/**
 * Writes an MP4 of 1920 × 1080, in which a camera swings over the sample photograph of a cat, enlarged five times.
 *
 * @param ffmpeg the FFmpeg command @param fps frames per second
 */
export async function makeClip(ffmpeg: string, path: string, seconds: number, fps: number): Promise<void> {
  // The photograph is enlarged once; the window then moves over it.
  const filters = [
    "scale=2256:1500:flags=bicubic:out_color_matrix=bt709:out_range=tv",
    "setsar=1,format=yuv420p",
    "loop=loop=-1:size=1",
    `setpts=N/${fps}/TB`,
    `crop=1920:1080:x='${swing(336, 10)}':y='${swing(420, 5)}'`,
  ].join(",");
  const photograph = join(PROJECT_ROOT, "samples", "chelsea.png");
  const args = [
    ["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-framerate", String(fps), "-i", photograph],
    ["-vf", filters, "-frames:v", String(seconds * fps), "-r", String(fps)],
    ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "23"],
    ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"],
    ["-movflags", "+faststart", path],
  ];
  await run(ffmpeg, args.flat());
}
