import { join } from "node:path";
import { OUTPUTS } from "@segmentation/protocol";
import { Usage } from "../device/usage.ts";
import type { Model, Segmentation } from "../models/model.ts";
import { drawTracked } from "../preview/tracked.ts";
import { taskFailure } from "../tasks/failure.ts";
import { type Frame, readFrames } from "../video/frames.ts";
import { MasksJsonWriter } from "../video/masks-json.ts";
import { PreviewEncoder } from "../video/preview-encoder.ts";
import { probeClip } from "../video/probe.ts";
import { planSamples } from "../video/sampling.ts";
import { workingSize } from "../video/working-size.ts";
import { ClipTimes } from "./clip-times.ts";
import type { TaskHooks } from "./hooks.ts";
import { inOrder } from "./in-order.ts";
import type { VideoTask, VideoResult, WrittenFile } from "./messages.ts";
import { describeOutput } from "./output-file.ts";
import { FrameTracker } from "./track-frame.ts";

const { masks: MASKS, preview: PREVIEW } = OUTPUTS.video;
/** The largest masks.json in bytes: what a client can still be expected to read. */
const MASKS_BYTES = 512 * 1_048_576;
/** Frames given to the model at once, per frame of a batch: one is on the device, the other is being prepared. */
const FRAMES_AHEAD = 2;
/** How often the engine reports that the task is alive: decoding up to the next sampled frame may take long. */
const ALIVE_MS = 5_000;

/**
 * Decodes, infers, tracks and encodes one clip frame by frame, so that one frame is decoded and another encoded while the
 * device has a third. Pictures take their turns between frames. Memory holds a few frames, however long the clip is.
 *
 * @param ffmpeg FFmpeg's command, null if there is none
 * @throws TaskFailure if the clip or its prompts can't be served; TaskDropped
 */
export async function runVideo(
  model: Model,
  ffmpeg: string | null,
  task: VideoTask,
  hooks: TaskHooks,
): Promise<VideoResult> {
  if (ffmpeg === null) {
    throw taskFailure("video_unavailable");
  }
  const told = { done: 0, total: 1 };
  const tell = (): void => hooks.progress(told.done, told.total);
  const alive = setInterval(tell, ALIVE_MS);
  try {
    return await segmentClip(model, ffmpeg, task, hooks, (done, total) => {
      Object.assign(told, { done, total });
      tell();
    });
  } finally {
    clearInterval(alive);
  }
}

async function segmentClip(
  model: Model,
  ffmpeg: string,
  task: VideoTask,
  hooks: TaskHooks,
  progress: (done: number, total: number) => void,
): Promise<VideoResult> {
  const { inputPath, folder } = task;
  const { signal } = hooks;
  const { prompts, scoreThreshold: threshold } = task;
  const usage = new Usage(undefined, (stage) => hooks.at(stage), signal);
  const times = new ClipTimes(usage);
  const clip = await probeClip(ffmpeg, inputPath, task.limits, signal);
  const { indexes, fps } = planSamples(clip.times, task.sampling, task.limits.frames);
  const { width, height } = clip;
  const size = workingSize(clip);
  progress(0, indexes.length);
  times.lap("decode");
  const tracker = new FrameTracker(task, { width, height }, size);
  await using masks = await MasksJsonWriter.open(
    join(folder, MASKS.name),
    { width, height, fps },
    MASKS_BYTES,
  );
  await using preview = task.generatePreview
    ? PreviewEncoder.open(ffmpeg, join(folder, PREVIEW.name), size, 1 / fps, signal)
    : undefined;
  times.lap("encode");
  const ahead = FRAMES_AHEAD * model.maxBatch;
  const segment = async (frame: Frame): Promise<{ frame: Frame; found: Segmentation }> => {
    signal.throwIfAborted();
    const picture = { ...size, rgb: frame.rgb, contentHash: null };
    const found = await model.segment(picture, {
      prompts,
      threshold,
      // Earlier frames may be tracked while this one's objects are detected: the later this is read, the more it spares.
      get withFaint() {
        return tracker.usesFaint(frame.sampleIdx);
      },
      usage,
    });
    return { frame, found };
  };
  const decoded = readFrames(ffmpeg, clip, indexes, size, signal);
  for await (const { frame, found } of inOrder(decoded, ahead, segment, (ms) => times.stood(ms))) {
    times.lap("infer");
    const objects = tracker.look(frame.timeSec, found);
    times.lap("post");
    await masks.frame({ ...frame, objects });
    if (preview !== undefined) {
      await drawTracked({ ...size, rgb: frame.rgb }, objects);
      await preview.write(frame.rgb, frame.timeSec);
    }
    times.lap("encode");
    progress(frame.sampleIdx + 1, indexes.length);
  }
  times.lap("infer");
  const { frames, framesWithMasks, totalMasks, ...written } = await masks.finish();
  const files: WrittenFile[] = [
    { name: MASKS.name, contentType: MASKS.contentType, ...written, path: join(folder, MASKS.name) },
  ];
  if (preview !== undefined) {
    await preview.finish();
    files.push(await describeOutput(folder, PREVIEW));
  }
  times.lap("encode");
  return {
    type: "video",
    width,
    height,
    files,
    notice: tracker.notice,
    ms: times.ms,
    modelMs: usage.ms,
    frames,
    framesWithMasks,
    totalMasks,
  };
}
