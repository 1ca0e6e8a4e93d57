import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Peaks, watchMemory } from "../../shared/processes.ts";
import { markdownTable } from "../report.ts";
import { timeJob } from "../task-times.ts";
import { withStack } from "../with-stack.ts";
import { makeClip } from "./make-clip.ts";

/** Twice the default sampling rate, so that frames are left out as in most videos. */
const CLIP_FPS = 12;
/** The simulated model's cost: low, because this measures the video's length and not the model. */
const PROMPT = "1 ms";

/** The memory that one video took in a new service, in bytes. */
export interface MemoryRun {
  readonly seconds: number;
  readonly frames: number;
  /** Milliseconds from createJob's request to success. */
  readonly whole: number;
  readonly peaks: Peaks;
  readonly clipBytes: number;
  readonly masksBytes: number;
  readonly previewBytes: number;
}

/** Runs a video of `seconds` at the default sampling, with a preview, in a new service. */
export async function measureMemory(
  ffmpeg: string,
  seconds: number,
  signal: AbortSignal,
): Promise<MemoryRun> {
  const mark = { SEGMENTATION_BENCH: randomUUID() };
  return await withStack(
    signal,
    async ({ client, timesOf, folder }) => {
      const clip = join(folder, "clip.mp4");
      await makeClip(ffmpeg, clip, seconds, CLIP_FPS);
      const taskId = await client.upload(clip);
      const watch = watchMemory(mark);
      const request = { tasks: [taskId], prompts: [PROMPT], generatePreview: true };
      const { jobId, whole } = await timeJob(client, timesOf, () => client.createVideoJob(request));
      const peaks = watch.stop();
      const { manifest } = await client.retrieveVideoJobResult(jobId);
      const [item] = manifest.items;
      const sizeOf = async (url = ""): Promise<number> => {
        const path = join(folder, "output");
        await client.downloadTo(path, url);
        return (await stat(path)).size;
      };
      return {
        seconds,
        frames: item?.units ?? 0,
        whole,
        peaks,
        clipBytes: (await stat(clip)).size,
        masksBytes: await sizeOf(item?.masks),
        previewBytes: await sizeOf(item?.previewUrl),
      };
    },
    mark,
  );
}

type Row = readonly [label: string, value: (run: MemoryRun) => number, decimals: number];

const MEGA = 1_000_000;

const ROWS: readonly Row[] = [
  ["frames processed", ({ frames }) => frames, 0],
  ["whole path, s", ({ whole }) => whole / 1_000, 1],
  ["whole path, frames per second", ({ whole, frames }) => (1_000 * frames) / whole, 1],
  ["**engine, peak, MB**", ({ peaks }) => peaks.engine / MEGA, 0],
  ["service, peak, MB", ({ peaks }) => peaks.service / MEGA, 0],
  ["FFmpeg listing the frames' times, peak, MB", ({ peaks }) => peaks.probe / MEGA, 0],
  ["FFmpeg decoding, peak, MB", ({ peaks }) => peaks.decoder / MEGA, 0],
  ["FFmpeg encoding the preview, peak, MB", ({ peaks }) => peaks.encoder / MEGA, 0],
  ["the video, MB", ({ clipBytes }) => clipBytes / MEGA, 1],
  ["masks.json, MB", ({ masksBytes }) => masksBytes / MEGA, 2],
  ["preview.mp4, MB", ({ previewBytes }) => previewBytes / MEGA, 2],
];

const length = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);

/** A Markdown table of a short and a long video, with the ratio of each row. */
export function memoryReport(short: MemoryRun, long: MemoryRun): string[] {
  return markdownTable(
    ["", length(short.seconds), length(long.seconds), "ratio"],
    ROWS.map(([label, value, decimals]) => [
      label,
      value(short).toFixed(decimals),
      value(long).toFixed(decimals),
      (value(long) / value(short)).toFixed(2),
    ]),
  );
}
