import { type Clip, workingSize } from "../../src/video/clip.ts";
import { type Frame, readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import { ffmpeg } from "./video/clips.ts";

const never = new AbortController().signal;

/** Probes a video of moderate size. */
export async function probe(path: string): Promise<Clip> {
  return probeClip(ffmpeg, path, { inputPixels: 4_000_000, seconds: 60 }, never);
}

/** The frames of a video with these numbers, by default all. */
export async function readAll(
  clip: Clip,
  indexes: readonly number[] = [...clip.times.keys()],
): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(ffmpeg, clip, indexes, workingSize(clip), never)) frames.push(frame);
  return frames;
}
