import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import type { VideoBench } from "../arguments.ts";
import { measureMemory } from "./memory.ts";
import { memoryReport } from "./memory-report.ts";
import { measureSpeed } from "./speed.ts";
import { speedReport } from "./speed-report.ts";

const SHORT_SECONDS = 10;
const LONG_SECONDS = 600;
const QUICK_LONG_SECONDS = 60;
const QUICK_STAND_IN_FRAMES = 12;

/** Makes the requested measurements of a clip and returns the report's lines. */
export async function benchVideo(bench: VideoBench, signal: AbortSignal): Promise<string[]> {
  const ffmpeg = findFfmpeg(process.env);
  const { quick, frames, rounds } = bench;
  const lines: string[] = [];
  if (bench.speed) {
    const standInFrames = quick ? QUICK_STAND_IN_FRAMES : null;
    lines.push("", ...speedReport(await measureSpeed({ ffmpeg, frames, rounds, standInFrames, signal })));
  }
  if (bench.memory) {
    const short = await measureMemory(ffmpeg, SHORT_SECONDS, signal);
    const long = await measureMemory(ffmpeg, quick ? QUICK_LONG_SECONDS : LONG_SECONDS, signal);
    lines.push("", ...memoryReport(short, long));
  }
  return lines;
}
