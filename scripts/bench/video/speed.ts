import { join } from "node:path";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { Model } from "../../../inference-container/src/models/model.ts";
import type { VideoJob } from "../../shared/api-client.ts";
import { type Row, spreadTable } from "../report.ts";
import { type TaskTimes, timeJob } from "../task-times.ts";
import { type BenchStack, withStack } from "../with-stack.ts";
import { CLIP_PROMPT, makeClip } from "./make-clip.ts";
import { measureParts, type PartTimes, type Work } from "./parts.ts";
import * as fake from "./fake-model.ts";

const SECONDS = 10;
const CLIP_FPS = 30;
/** Frames that warm up both sides and are not counted. */
const WARM_UP_FRAMES = 2;

/** The times of one video, with the whole service and part by part, in milliseconds. */
export interface Round {
  readonly model: string;
  /** From createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly stages: TaskTimes["ms"];
  readonly parts: PartTimes;
}

/** A model, its prompt, and the number of measurements. */
interface Scenario {
  readonly name: string;
  readonly model: Model;
  readonly prompt: string;
  /** Number of frames to process; null for the default sampling. */
  readonly frames: number | null;
  readonly rounds: number;
}

/** The options from the command line and the machine. */
export interface SpeedOptions {
  readonly ffmpeg: string;
  readonly frames: number;
  readonly rounds: number;
  /** Number of frames that the simulated models process; null for the default sampling. */
  readonly fakeFrames: number | null;
  readonly signal: AbortSignal;
}

/** Measures a video with the embedded model and with fakes of a fixed cost. */
export async function measureSpeed(options: SpeedOptions): Promise<Round[]> {
  const { frames, rounds, fakeFrames, signal } = options;
  const embedded = await withStack(signal, async (stack) => {
    const model = await loadModel(await ensureBuiltin());
    const found = await measureScenarios(stack, options, [
      { name: "embedded model", model, prompt: CLIP_PROMPT, frames, rounds },
    ]);
    await model.close();
    return found;
  });
  const fakes = await withStack(
    signal,
    async (stack) => {
      const model = await fake.loadModel();
      return await measureScenarios(
        stack,
        options,
        ["100 ms", "20 ms"].map((prompt) => {
          return { name: `fake, ${prompt}`, model, prompt, frames: fakeFrames, rounds };
        }),
      );
    },
    {},
  );
  return [...embedded, ...fakes];
}

async function measureScenarios(
  stack: BenchStack,
  { ffmpeg, signal }: SpeedOptions,
  scenarios: readonly Scenario[],
): Promise<Round[]> {
  const path = join(stack.folder, "clip.mp4");
  await makeClip(ffmpeg, path, SECONDS, CLIP_FPS);
  const taskId = await stack.client.upload(path);
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
  { model, prompt }: Scenario,
  numFrames: number | null,
  ffmpeg: string,
  inputPath: string,
  folder: string,
  signal: AbortSignal,
): Work {
  return {
    ffmpeg,
    model,
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

/** Measures both sides, the whole service first if `wholeFirst`. */
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

/** The service's stages outside the engine. */
const AROUND = ["queue", "fetch", "wait", "upload", "commit"] as const;
/** The engine's stages: probing and waiting for frames, waiting for the model, and everything after it. */
const ENGINE = ["decode", "infer", "post", "encode"] as const;

const seconds = (ms: number): number => ms / 1_000;
const stage = ({ stages }: Round, name: string): number => stages[name] ?? 0;
const sumOf = (run: Round, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + stage(run, name), 0);
const inEngine = (run: Round): number => sumOf(run, ENGINE);
const inService = (run: Round): number => inEngine(run) + sumOf(run, AROUND);
const sumOfParts = ({ parts: { decode, model, encode } }: Round): number => decode + model + encode;
const slowestPart = ({ parts: { decode, model, encode } }: Round): number => Math.max(decode, model, encode);

const ROWS: readonly Row<Round>[] = [
  ["frames", ({ parts }) => parts.frames, 0],
  ["whole path, s", ({ whole }) => seconds(whole), 2],
  ["– createJob, queue, dispatch, poll", (run) => seconds(run.whole - inService(run)), 2],
  ["– the service's queue, fetch, wait, upload, commit", (run) => seconds(sumOf(run, AROUND)), 2],
  ["– the engine", (run) => seconds(inEngine(run)), 2],
  ["– – probing, waiting for decoded frames", (run) => seconds(stage(run, "decode")), 2],
  ["– – waiting for the model", (run) => seconds(stage(run, "infer")), 2],
  ["– – masks, drawing, preview", (run) => seconds(stage(run, "post") + stage(run, "encode")), 2],
  ["parts alone: decode, s", ({ parts }) => seconds(parts.decode), 2],
  ["– probing", ({ parts }) => seconds(parts.probe), 2],
  ["parts alone: model, s", ({ parts }) => seconds(parts.model), 2],
  ["parts alone: encode, s", ({ parts }) => seconds(parts.encode), 2],
  ["– run lengths, tracking, masks.json", ({ parts }) => seconds(parts.masks), 2],
  ["– drawing", ({ parts }) => seconds(parts.draw), 2],
  ["– waiting for the preview's encoder", ({ parts }) => seconds(parts.preview), 2],
  ["sum of the parts, s", (run) => seconds(sumOfParts(run)), 2],
  ["frames per second: whole path", ({ whole, parts }) => parts.frames / seconds(whole), 2],
  ["frames per second: the engine", (run) => run.parts.frames / seconds(inEngine(run)), 2],
  ["frames per second: the parts in sequence", (run) => run.parts.frames / seconds(sumOfParts(run)), 2],
  ["**whole path ÷ sum of the parts**", (run) => run.whole / sumOfParts(run), 2],
  ["**engine ÷ sum of the parts**", (run) => inEngine(run) / sumOfParts(run), 2],
  ["engine ÷ its slowest part", (run) => inEngine(run) / slowestPart(run), 2],
  [
    "**engine without waiting for the model ÷ decode and encode alone**",
    (run) => (inEngine(run) - stage(run, "infer")) / (run.parts.decode + run.parts.encode),
    2,
  ],
];

/** The rounds as a Markdown table with one column per model. */
export function speedReport(rounds: readonly Round[]): string[] {
  const models = [...new Set(rounds.map(({ model }) => model))];
  return spreadTable(
    ROWS,
    models.map((heading) => ({ heading, runs: rounds.filter(({ model }) => model === heading) })),
  );
}
