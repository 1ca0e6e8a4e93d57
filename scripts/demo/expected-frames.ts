import { findFfmpeg } from "../../inference-container/src/video/ffmpeg.ts";
import { probeClip } from "../../inference-container/src/video/probe.ts";
import { planSamples } from "../../inference-container/src/video/sampling.ts";
import type { RequestedFrames } from "./arguments.ts";

/** None: the service has its own, and says so. */
export const NO_LIMITS = { inputPixels: 2 ** 31 - 1, seconds: Infinity };

/**
 * How many frames of a clip the service will look at, by its own rules: the API tells the share that is done, and not
 * of how many. Null where that can't be told here, as without FFmpeg or of a clip that the service will refuse.
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
