import { join } from "node:path";
import { joinProblems, OUTPUTS, problemOf } from "@segmentation/protocol";
import { Usage } from "../device/usage.ts";
import { ClipCoco } from "../formats/clip-coco.ts";
import type { Model, OpenPicture, Segmentation } from "../models/model.ts";
import { drawTracked } from "../preview/preview.ts";
import { taskFailure } from "../failures.ts";
import { type Frame, readFrames } from "../video/frames.ts";
import { MasksJsonWriter } from "../video/masks-json.ts";
import { PreviewEncoder } from "../video/preview-encoder.ts";
import { probeClip } from "../video/probe.ts";
import { planSamples } from "../video/choose-frames.ts";
import { workingSize } from "../video/clip.ts";
import { ClipTimes } from "./clip-times.ts";
import type { TaskHooks, VideoResult, VideoTask, WrittenFile } from "../messages.ts";
import { inOrder } from "./in-order.ts";
import { describeOutput } from "../output-file.ts";
import { LONGEST_BRIDGE_SECONDS } from "../following/bridge.ts";
import { stepsOf } from "../steps.ts";
import { ClipFollower } from "./follow-clip.ts";
import { FrameTracker } from "./track-frame.ts";
import { missingNotice } from "./notices.ts";

const { masks: MASKS, preview: PREVIEW } = OUTPUTS.video;
/** The largest masks.json in bytes that a client can be expected to read. */
const MASKS_BYTES = 512 * 1_048_576;
/** Milliseconds between reports that the task is alive: decoding up to the next sampled frame may take long. */
const ALIVE_MS = 5_000;

/**
 * Decodes, infers, tracks and encodes one video frame by frame, so that one frame is decoded and another encoded while the
 * device has a third. Pictures take their turns between frames. Memory holds a few frames, however long the video is.
 *
 * @param ffmpeg FFmpeg's command, null if there is none
 * @throws TaskFailure if the video or its prompts can't be served; TaskDropped
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
  const last = { done: 0, total: 1 };
  const report = (): void => hooks.progress(last.done, last.total);
  const alive = setInterval(report, ALIVE_MS);
  try {
    return await segmentClip(model, ffmpeg, task, hooks, (done, total) => {
      Object.assign(last, { done, total });
      report();
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
  const usage = new Usage(undefined, (stage) => hooks.at(stage), signal);
  const times = new ClipTimes(usage);
  const clip = await probeClip(ffmpeg, inputPath, task.limits, signal);
  const pointed = task.regions?.map(({ timeSeconds }) => timeSeconds);
  const plan = planSamples(clip.times, task.sampling, task.limits.frames, pointed);
  const { indexes, fps } = plan;
  const { width, height } = clip;
  const isPale = clip.hdr !== null && !clip.decoding.toneMapped;
  const size = workingSize(clip);
  let done = 0;
  const report = (count: number): void => {
    // Frames that were followed backward are counted again when they are written.
    done = Math.max(done, count);
    progress(done, indexes.length);
  };
  report(0);
  times.lap("decode");
  const follower = await ClipFollower.open({
    model,
    ffmpeg,
    task,
    clip,
    plan,
    size,
    hooks,
    usage,
    progress: report,
  });
  times.lap("infer");
  // A timer already reports that the task is alive.
  const step = stepsOf({ progress: () => undefined, signal });
  const tracker = new FrameTracker(task, { width, height }, size, step, follower?.objectIds);
  await using masks = await MasksJsonWriter.open(
    join(folder, MASKS.name),
    { width, height, fps },
    MASKS_BYTES,
  );
  await using coco = await ClipCoco.open(task, { width, height });
  await using preview = task.generatePreview
    ? PreviewEncoder.open(ffmpeg, join(folder, PREVIEW.name), size, 1 / fps, signal)
    : undefined;
  times.lap("encode");
  using opened = new OpenPictures();
  // The tracker bridges no gap between frames farther apart.
  const keepOpen = fps >= 1 / LONGEST_BRIDGE_SECONDS || follower !== undefined;
  // The frames in the model, and one more in preparation.
  const ahead = model.concurrency + 1;
  const segment = async (frame: Frame): Promise<{ frame: Frame; found: Segmentation }> => {
    signal.throwIfAborted();
    const picture = { ...size, rgb: frame.rgb, contentHash: follower?.key(frame) ?? null };
    const found = await model.segment(picture, {
      prompts: task.prompts,
      threshold: task.scoreThreshold,
      inClip: true,
      // Earlier frames may be tracked while the model detects this frame's objects: a later read saves more work.
      get withFaint() {
        return tracker.usesFaint(frame.sampleIdx);
      },
      keepOpen,
      task,
      usage,
    });
    opened.add(found.open);
    await follower?.prepare(frame, found.open);
    return { frame, found };
  };
  const decoded = readFrames(ffmpeg, clip, indexes, size, signal);
  for await (const { frame, found } of inOrder(decoded, ahead, segment, (ms) => times.stood(ms))) {
    times.lap("infer");
    const seen = await tracker.look(frame.timeSec, found);
    times.lap("post");
    const bridged = await tracker.bridge(frame.timeSec, found.open, seen);
    const followed = (await follower?.look(frame, found.open)) ?? [];
    const objects = [...seen, ...bridged, ...(await tracker.follow(followed))];
    opened.close(found.open);
    times.lap("infer");
    await masks.frame({ ...frame, objects });
    await coco?.frame({ ...frame, objects });
    if (preview !== undefined) {
      await drawTracked({ ...size, rgb: frame.rgb }, objects, step);
      await preview.write(frame.rgb, frame.timeSec);
    }
    times.lap("encode");
    report(frame.sampleIdx + 1);
  }
  times.lap("infer");
  const { frames, framesWithMasks, totalMasks, ...written } = await masks.finish();
  const missing = missingNotice(frames, indexes.length, clip);
  const pale = isPale ? problemOf("hdr_not_converted") : null;
  const notices = [tracker.notice, missing, ...clip.notices, pale];
  const files: WrittenFile[] = [
    { name: MASKS.name, contentType: MASKS.contentType, ...written, path: join(folder, MASKS.name) },
  ];
  if (preview !== undefined) {
    await preview.finish();
    files.push(await describeOutput(folder, PREVIEW));
  }
  if (coco !== undefined) files.push(await coco.finish());
  times.lap("encode");
  return {
    type: "video",
    width,
    height,
    files,
    notice: joinProblems(notices),
    ms: times.ms,
    modelMs: usage.ms,
    frames,
    framesWithMasks,
    totalMasks,
  };
}

/** The open pictures of a video. They are closed on every way out. */
class OpenPictures implements Disposable {
  readonly #open = new Set<OpenPicture>();

  add(picture: OpenPicture | undefined): void {
    if (picture !== undefined) this.#open.add(picture);
  }

  close(picture: OpenPicture | undefined): void {
    if (picture !== undefined && this.#open.delete(picture)) picture[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const picture of this.#open) this.close(picture);
  }
}
