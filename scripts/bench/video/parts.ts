/** Measures the parts of a video's path, each alone, with nothing else running. */
import { join } from "node:path";
import { OUTPUTS } from "@segmentation/protocol";
import type { VideoTask } from "../../../inference-container/src/messages.ts";
import { describeOutput } from "../../../inference-container/src/output-file.ts";
import { stepsOf } from "../../../inference-container/src/steps.ts";
import { FrameTracker } from "../../../inference-container/src/engine/track-frame.ts";
import type { Model, Segmentation } from "../../../inference-container/src/models/model.ts";
import { drawTracked } from "../../../inference-container/src/preview/preview.ts";
import { type Frame, readFrames } from "../../../inference-container/src/video/frames.ts";
import { MasksJsonWriter } from "../../../inference-container/src/video/masks-json.ts";
import { PreviewEncoder } from "../../../inference-container/src/video/preview-encoder.ts";
import { probeClip } from "../../../inference-container/src/video/probe.ts";
import { planSamples } from "../../../inference-container/src/video/choose-frames.ts";
import { workingSize } from "../../../inference-container/src/video/clip.ts";

/** The work on a video, with its inputs. */
export interface Work {
  readonly ffmpeg: string;
  readonly task: VideoTask;
  readonly model: Model;
  readonly signal: AbortSignal;
}

/** Milliseconds of each part alone. */
export interface PartTimes {
  readonly frames: number;
  /** Probing the video, then decoding the sampled frames without using them. */
  readonly decode: number;
  /** The part of `decode` that probes: the video's size and the times of its frames. */
  readonly probe: number;
  /** The model in a loop over the same frames, in memory. */
  readonly model: number;
  /** Everything after the model, on the same frames and instances: the sum of the three below. */
  readonly encode: number;
  /** Run lengths, tracking, masks.json. */
  readonly masks: number;
  /** Drawing the objects onto the frames. */
  readonly draw: number;
  /** Writing the frames to the encoder, waiting for its end, and the digest of its file. */
  readonly preview: number;
}

/** Measures each part of a video's path alone, one after another. */
export async function measureParts(work: Work): Promise<PartTimes> {
  const begun = performance.now();
  const clip = await openClip(work);
  const probe = performance.now() - begun;
  const unused = readSampled(work, clip);
  while ((await unused.next()).done !== true);
  const decode = performance.now() - begun;
  const frames: Frame[] = [];
  for await (const frame of readSampled(work, clip)) frames.push(frame);
  const started = performance.now();
  const found = await segmentAll(work, clip, frames);
  const model = performance.now() - started;
  const encode = await encodeAll(work, clip, frames, found);
  return { frames: frames.length, decode, probe, model, ...encode };
}

type OpenedClip = Awaited<ReturnType<typeof openClip>>;

async function openClip({ ffmpeg, task, signal }: Work) {
  const clip = await probeClip(ffmpeg, task.inputPath, task.limits, signal);
  const plan = planSamples(clip.times, task.sampling, task.limits.frames);
  return { clip, ...plan, size: workingSize(clip) };
}

function readSampled({ ffmpeg, signal }: Work, { clip, indexes, size }: OpenedClip): AsyncGenerator<Frame> {
  return readFrames(ffmpeg, clip, indexes, size, signal);
}

async function segmentAll(
  { task: { prompts, scoreThreshold: threshold }, model }: Work,
  { size }: OpenedClip,
  frames: readonly Frame[],
): Promise<Segmentation[]> {
  const found: Segmentation[] = [];
  let withFaint = false;
  for (const { rgb } of frames) {
    const picture = { ...size, rgb, contentHash: null };
    const seen = await model.segment(picture, { prompts, threshold, withFaint, inClip: true });
    found.push(seen);
    // As the tracker requires: once something is tracked, faint detections may continue it.
    withFaint ||= seen.instances.length > 0;
  }
  return found;
}

/** Draws onto the frames, which cannot be used again. */
async function encodeAll(
  { ffmpeg, task, signal }: Work,
  { clip: { width, height }, fps, size }: OpenedClip,
  frames: readonly Frame[],
  found: readonly Segmentation[],
) {
  const ms = { masks: 0, draw: 0, preview: 0 };
  let since = performance.now();
  const lap = (part: keyof typeof ms): void => {
    ms[part] += performance.now() - since;
    since = performance.now();
  };
  const step = stepsOf({ progress: () => undefined, signal });
  const tracker = new FrameTracker(task, { width, height }, size, step);
  await using masks = await MasksJsonWriter.open(
    join(task.folder, OUTPUTS.video.masks.name),
    { width, height, fps },
    Infinity,
  );
  await using preview = PreviewEncoder.open(
    ffmpeg,
    join(task.folder, OUTPUTS.video.preview.name),
    size,
    1 / fps,
    signal,
  );
  for (const [i, frame] of frames.entries()) {
    const seen = found[i];
    if (seen === undefined) throw new Error("the model was not run on every frame");
    const objects = await tracker.look(frame.timeSec, seen);
    await masks.frame({ ...frame, objects });
    lap("masks");
    const named = objects.map(({ objectId, promptIndex, score, mask }) => {
      return { objectId, prompt: task.prompts[promptIndex ?? 0] ?? "", score, mask };
    });
    await drawTracked({ ...size, rgb: frame.rgb }, named, step);
    lap("draw");
    await preview.write(frame.rgb, frame.timeSec);
    lap("preview");
  }
  await masks.finish();
  lap("masks");
  await preview.finish();
  await describeOutput(task.folder, OUTPUTS.video.preview);
  lap("preview");
  return { ...ms, encode: ms.masks + ms.draw + ms.preview };
}
