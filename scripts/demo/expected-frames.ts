import { findFfmpeg } from "../../inference-container/src/video/ffmpeg.ts";
import { probeClip } from "../../inference-container/src/video/probe.ts";
import { planSamples } from "../../inference-container/src/video/sampling.ts";
import type { RequestedFrames } from "./arguments.ts";

/** No limits: the service checks its own. */
export const NO_LIMITS = { inputPixels: 2 ** 31 - 1, seconds: Infinity };

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
