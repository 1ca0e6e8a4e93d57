import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { timeJob } from "../time-job.ts";
import { withStack } from "../with-stack.ts";
import { makeClip } from "./make-clip.ts";
import { startStandIn } from "./start-stand-in.ts";
import { uploadClip } from "./upload-clip.ts";
import { type Peaks, watchMemory } from "./watch-memory.ts";

/** Twice the default sampling rate, so that frames are left out as in most clips. */
const CLIP_FPS = 12;
/** The stand-in model's cost: low, because the clip's length matters here and not the model. */
const PROMPT = "1 ms";

/** The memory that one clip took in a new service, in bytes. */
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

/** Runs a clip of `seconds` at the default sampling, with a preview, in a new service. */
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
      const taskId = await uploadClip(client, clip);
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
    (service) => startStandIn(mark, service),
  );
}
