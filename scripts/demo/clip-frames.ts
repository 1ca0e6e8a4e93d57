import sharp from "sharp";
import { findFfmpeg } from "../../inference-container/src/video/ffmpeg.ts";
import { readFrames } from "../../inference-container/src/video/frames.ts";
import { probeClip } from "../../inference-container/src/video/probe.ts";
import { planSamples } from "../../inference-container/src/video/sampling.ts";
import { workingSize } from "../../inference-container/src/video/clip.ts";
import type { RequestedFrames } from "./arguments.ts";

/** No limits: the service enforces its own. */
const NO_LIMITS = { inputPixels: 2 ** 31 - 1, seconds: Infinity };

/**
 * How many frames of a clip the service will process, by its own rules: the API reports only the share that is done.
 * Null if this cannot be computed here, for example without FFmpeg or for a clip that the service will refuse.
 */
export async function expectedFrames(
  path: string,
  requested: RequestedFrames,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    const { times } = await probeClip(findFfmpeg(process.env), path, NO_LIMITS, signal);
    const sampling = { fps: null, numFrames: null, maxFrames: null, ...requested };
    return planSamples(times, sampling, Infinity).indexes.length;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

const WIDTH = 1_200;
const GAP = 8;

/** Portrait frames are narrower, so more of them fit side by side. */
const framesFor = (clip: { width: number; height: number }): number => (clip.width >= clip.height ? 4 : 6);

/**
 * A strip of a clip: four to six frames side by side, evenly spaced in time, or fewer if the clip has no more. A PNG,
 * up to 1200 pixels wide, transparent between the frames.
 * @throws if FFmpeg is missing or cannot read the clip; the signal's reason if aborted
 */
export async function filmStrip(path: string, signal: AbortSignal): Promise<Buffer> {
  const ffmpeg = findFfmpeg(process.env);
  const clip = await probeClip(ffmpeg, path, NO_LIMITS, signal);
  const sampling = { fps: null, numFrames: framesFor(clip), maxFrames: null };
  const { indexes } = planSamples(clip.times, sampling, Infinity);
  const size = workingSize(clip);
  const width = Math.min(Math.floor((WIDTH + GAP) / indexes.length) - GAP, size.width);
  const height = Math.round((width * size.height) / size.width);
  const pictures = [];
  for await (const { rgb } of readFrames(ffmpeg, clip, indexes, size, signal)) {
    const input = await sharp(rgb, { raw: { ...size, channels: 3 } })
      .resize(width, height, { fit: "fill" })
      .png()
      .toBuffer();
    pictures.push({ input, left: pictures.length * (width + GAP), top: 0 });
  }
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const whole = pictures.length * (width + GAP) - GAP;
  return await sharp({ create: { width: whole, height, channels: 4, background } })
    .composite(pictures)
    .png()
    .toBuffer();
}
