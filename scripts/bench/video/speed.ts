import { join } from "node:path";
import type { Model } from "../../../inference-container/src/models/model.ts";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { VideoJob } from "../../client/api-client.ts";
import type { TaskTimes } from "../task-times.ts";
import { timeJob } from "../time-job.ts";
import { type BenchStack, withStack } from "../with-stack.ts";
import { CLIP_PROMPT, makeClip } from "./make-clip.ts";
import { measureParts, type PartTimes, type Work } from "./parts.ts";
import * as standIn from "./stand-in-model.ts";
import { startStandIn } from "./start-stand-in.ts";
import { uploadClip } from "./upload-clip.ts";

const SECONDS = 10;
const CLIP_FPS = 30;
/** Frames that warm up both sides and are not counted. */
const WARM_UP_FRAMES = 2;

/** The times of one clip, with the whole service and part by part, in milliseconds. */
export interface Round {
  readonly model: string;
  /** From createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly stages: TaskTimes["ms"];
  readonly parts: PartTimes;
}

/** A model, the prompt for it, and how often to measure it. */
interface Scenario {
  readonly name: string;
  readonly model: Model;
  readonly opens?: boolean;
  readonly prompt: string;
  /** How many frames to process; null for the default sampling. */
  readonly frames: number | null;
  readonly rounds: number;
}

/** The options from the command line and the machine. */
export interface SpeedOptions {
  readonly ffmpeg: string;
  readonly frames: number;
  readonly rounds: number;
  /** How many frames the stand-ins process; null for the default sampling. */
  readonly standInFrames: number | null;
  readonly signal: AbortSignal;
}

/** Measures a clip with the embedded model and with stand-ins of a fixed cost. */
export async function measureSpeed(options: SpeedOptions): Promise<Round[]> {
  const { frames, rounds, standInFrames, signal } = options;
  const embedded = await withStack(signal, async (stack) => {
    const model = await loadModel(await ensureBuiltin());
    const found = await measureScenarios(stack, options, [
      { name: "embedded model", model, opens: true, prompt: CLIP_PROMPT, frames, rounds },
    ]);
    await model.close();
    return found;
  });
  const standIns = await withStack(
    signal,
    async (stack) => {
      const model = await standIn.loadModel();
      return await measureScenarios(
        stack,
        options,
        ["100 ms", "20 ms"].map((prompt) => {
          return { name: `stand-in, ${prompt}`, model, prompt, frames: standInFrames, rounds };
        }),
      );
    },
    (service) => startStandIn({}, service),
  );
  return [...embedded, ...standIns];
}

async function measureScenarios(
  stack: BenchStack,
  { ffmpeg, signal }: SpeedOptions,
  scenarios: readonly Scenario[],
): Promise<Round[]> {
  const path = join(stack.folder, "clip.mp4");
  await makeClip(ffmpeg, path, SECONDS, CLIP_FPS);
  const taskId = await uploadClip(stack.client, path);
  const rounds: Round[] = [];
  for (const scenario of scenarios) {
    const measure = (wanted: number | null, wholeFirst: boolean): Promise<Round> =>
      measureRound(
        stack,
        scenario,
        taskId,
        workOf(scenario, wanted, ffmpeg, path, stack.folder, signal),
        wholeFirst,
      );
    await measure(WARM_UP_FRAMES, true);
    for (let round = 1; round <= scenario.rounds; round += 1) {
      signal.throwIfAborted();
      rounds.push(await measure(scenario.frames, round % 2 === 1));
      console.error(`${scenario.name}: round ${round} of ${scenario.rounds}`);
    }
  }
  return rounds;
}

function workOf(
  { model, opens = false, prompt }: Scenario,
  numFrames: number | null,
  ffmpeg: string,
  inputPath: string,
  folder: string,
  signal: AbortSignal,
): Work {
  return {
    ffmpeg,
    model,
    opens,
    signal,
    task: {
      type: "video",
      key: "bench",
      lane: "bulk",
      inputPath,
      folder,
      prompts: [prompt],
      generatePreview: true,
      limits: { inputBytes: 2_000_000_000, inputPixels: 36_000_000, seconds: 7_200, frames: 3_600 },
      scoreThreshold: 0,
      sampling: { fps: null, numFrames, maxFrames: null },
    },
  };
}

/** Measures both sides, in the order that `wholeFirst` says. */
async function measureRound(
  { client, timesOf }: BenchStack,
  { name }: Scenario,
  taskId: string,
  work: Work,
  wholeFirst: boolean,
): Promise<Round> {
  const { prompts, generatePreview, sampling } = work.task;
  const request: VideoJob = {
    tasks: [taskId],
    prompts: [...prompts],
    generatePreview,
    ...(sampling.numFrames !== null && { numFrames: sampling.numFrames }),
  };
  const before = wholeFirst ? null : await measureParts(work);
  const { whole, times } = await timeJob(client, timesOf, () => client.createVideoJob(request));
  const parts = before ?? (await measureParts(work));
  return { model: name, whole, stages: times.ms, parts };
}
