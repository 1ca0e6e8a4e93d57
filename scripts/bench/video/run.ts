import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import type { BenchRequest } from "../arguments.ts";
import { followingReport, measureFollowing } from "./following.ts";
import { measureMemory, memoryReport } from "./memory.ts";
import { measureSpeed, speedReport } from "./speed.ts";

const SHORT_SECONDS = 10;
const LONG_SECONDS = 600;
const QUICK_LONG_SECONDS = 60;
const QUICK_FAKE_FRAMES = 12;

/** Makes the requested measurements of a video. Returns the report's lines. */
export async function benchVideo(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const ffmpeg = findFfmpeg(process.env);
  const { parts, quick, frames, rounds } = request;
  const lines: string[] = [];
  if (parts.includes("speed")) {
    const fakeFrames = quick ? QUICK_FAKE_FRAMES : null;
    lines.push("", ...speedReport(await measureSpeed({ ffmpeg, frames, rounds, fakeFrames, signal })));
  }
  if (parts.includes("memory")) {
    const short = await measureMemory(ffmpeg, SHORT_SECONDS, signal);
    const long = await measureMemory(ffmpeg, quick ? QUICK_LONG_SECONDS : LONG_SECONDS, signal);
    lines.push("", ...memoryReport(short, long));
  }
  if (parts.includes("following"))
    lines.push("", ...followingReport(await measureFollowing(ffmpeg, { frames, rounds }, signal)));
  return lines;
}
