/** Mixed work for the embedded model: pictures in and outside of every cache, previews and videos. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskRequest } from "@segmentation/protocol";
import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";
import { benchPicture } from "../../../scripts/bench/pictures/bench-picture.ts";
import { watchMemory } from "../../../scripts/shared/processes.ts";
import type { InferenceKind } from "../../../scripts/bench/start-inference.ts";
import { CLIP_PROMPT, makeClip } from "../../../scripts/bench/video/make-clip.ts";
import { type BenchService, withService } from "../../../scripts/bench/service/with-service.ts";
import { type MemorySample, sampleMemory } from "./soak-memory.ts";

const OFFERED = 4;
const CLIP_EVERY = 40;
const CLIP_SECONDS = 1;
const SAMPLE_MS = 500;

/** The engine's resident memory in bytes: its peak, and samples. */
export interface EngineMemory {
  readonly peak: number;
  readonly samples: readonly MemorySample[];
}

/**
 * Sends the service with the embedded model this many pictures, every third of which repeats with another prompt.
 * @param modelFolder of the embedded model
 * @throws Failure if a task fails
 */
export async function soakEmbedded(
  modelFolder: string,
  pictures: number,
  signal: AbortSignal,
): Promise<EngineMemory> {
  const mark = { SEGMENTATION_BENCH: randomUUID() };
  const kind: InferenceKind = {
    name: "The inference service with the embedded model",
    main: join("inference-container", "src", "main.ts"),
    modelFolder,
  };
  return await withService(kind, mark, signal, async (service) => {
    const clip = join(service.folder, "clip.mp4");
    await makeClip(findFfmpeg(process.env), clip, CLIP_SECONDS, 6);
    service.worker.inputs.set("clip", await readFile(clip));
    const [peaks, samples] = [watchMemory(mark), sampleMemory(mark, SAMPLE_MS)];
    let next = 0;
    const offerer = async (): Promise<void> => {
      while (next < pictures) await giveOne(service, next++);
    };
    await Promise.all(Array.from({ length: OFFERED }, offerer));
    return { samples: samples.stop(), peak: peaks.stop().engine };
  });
}

async function giveOne(service: BenchService, n: number): Promise<void> {
  const { worker } = service;
  const { file, prompts } = await benchPicture(n);
  const name = `picture-${n}`;
  worker.inputs.set(name, Buffer.from(file));
  const picture = (prompt: string): TaskRequest =>
    worker.request({
      inputUrl: `${worker.origin}/inputs/${name}`,
      prompts: [prompt],
      generatePreview: n % 2 === 0,
    });
  await succeed(service, picture(prompts[0]));
  if (n % 3 === 0) await succeed(service, picture(prompts[1]));
  worker.inputs.delete(name);
  if (n % CLIP_EVERY === CLIP_EVERY - 1)
    await succeed(
      service,
      worker.videoRequest({
        inputUrl: `${worker.origin}/inputs/clip`,
        prompts: [CLIP_PROMPT],
        generatePreview: true,
      }),
    );
}

async function succeed(service: BenchService, request: TaskRequest): Promise<void> {
  const completion = await service.finish(request);
  if (completion.outcome !== "success")
    throw new Failure(`A task of the soak ended as ${JSON.stringify(completion)}.`);
}
