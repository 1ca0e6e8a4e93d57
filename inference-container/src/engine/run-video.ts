import { join } from "node:path";
import type { Model } from "../models/model.ts";
import { drawTracked } from "../preview/tracked.ts";
import { refused } from "../tasks/failure.ts";
import { readFrames } from "../video/frames.ts";
import { MasksJsonWriter } from "../video/masks-json.ts";
import { PreviewEncoder } from "../video/preview-encoder.ts";
import { probeClip } from "../video/probe.ts";
import { planSamples } from "../video/sampling.ts";
import { workingSize } from "../video/working-size.ts";
import type { JobHooks } from "./hooks.ts";
import type { Lock } from "./lock.ts";
import type { VideoJob, VideoResult, WrittenFile } from "./messages.ts";
import { describeOutput } from "./output-file.ts";
import { FrameTracker } from "./track-frame.ts";

const MASKS = "masks.json";
const PREVIEW = "preview.mp4";
/** The largest masks.json: what a client can still be expected to read. */
const MASKS_BYTES = 512 * 1_048_576;
/** Decoding up to the next sampled frame may take long: so often the service hears that the job is alive. */
const ALIVE_MS = 5_000;

/**
 * Runs one clip: frame by frame through decode, inference, tracking and encoding. Each frame takes the model's lock
 * anew, so that pictures pass between frames. Memory holds a frame or two, whatever the clip's length.
 *
 * @param ffmpeg FFmpeg's command, null where there is none
 * @throws TaskFailure where the clip or its prompts can't be served; JobDropped
 */
export async function runVideo(
  model: Model,
  modelLock: Lock,
  ffmpeg: string | null,
  job: VideoJob,
  hooks: JobHooks,
): Promise<VideoResult> {
  if (ffmpeg === null) {
    throw refused(
      "video_unavailable",
      "This service has no FFmpeg and can't process videos. Its operator has to install it.",
    );
  }
  const told = { done: 0, total: 1 };
  const tell = (): void => hooks.progress(told.done, told.total);
  const alive = setInterval(tell, ALIVE_MS);
  try {
    return await segmentClip(model, modelLock, ffmpeg, job, hooks, (done, total) => {
      Object.assign(told, { done, total });
      tell();
    });
  } finally {
    clearInterval(alive);
  }
}

async function segmentClip(
  model: Model,
  modelLock: Lock,
  ffmpeg: string,
  job: VideoJob,
  hooks: JobHooks,
  progress: (done: number, total: number) => void,
): Promise<VideoResult> {
  const { inputPath, folder } = job;
  const { signal } = hooks;
  const ms = { decode: 0, encode: 0 };
  let since = performance.now();
  const lap = (stage: keyof typeof ms): void => {
    ms[stage] += performance.now() - since;
    since = performance.now();
  };
  const clip = await probeClip(ffmpeg, inputPath, job.limits, signal);
  const { indexes, fps } = planSamples(clip.times, job.sampling, job.limits.frames);
  const { width, height } = clip;
  const size = workingSize(clip);
  progress(0, indexes.length);
  const tracker = new FrameTracker(model, modelLock, job, { width, height }, size, hooks);
  await using masks = await MasksJsonWriter.open(join(folder, MASKS), { width, height, fps }, MASKS_BYTES);
  await using preview = job.generatePreview
    ? PreviewEncoder.open(ffmpeg, join(folder, PREVIEW), size, 1 / fps, signal)
    : undefined;
  for await (const frame of readFrames(ffmpeg, clip, indexes, size, signal)) {
    lap("decode");
    const objects = await tracker.look(frame);
    since = performance.now();
    await masks.frame({ ...frame, objects });
    if (preview !== undefined) {
      await drawTracked({ ...size, rgb: frame.rgb }, objects);
      await preview.write(frame.rgb, frame.timeSec);
    }
    lap("encode");
    progress(frame.sampleIdx + 1, indexes.length);
  }
  lap("decode");
  const { frames, framesWithMasks, totalMasks, ...written } = await masks.finish();
  const files: WrittenFile[] = [
    { name: MASKS, contentType: "application/json", ...written, path: join(folder, MASKS) },
  ];
  if (preview !== undefined) {
    await preview.finish();
    files.push(await describeOutput(folder, PREVIEW, "video/mp4"));
  }
  lap("encode");
  return {
    type: "video",
    width,
    height,
    files,
    masks: MASKS,
    preview: preview === undefined ? null : PREVIEW,
    notice: tracker.notice,
    ms: { ...ms, infer: tracker.ms.infer, post: tracker.ms.post },
    modelMs: tracker.ms.graphs,
    frames,
    framesWithMasks,
    totalMasks,
  };
}
