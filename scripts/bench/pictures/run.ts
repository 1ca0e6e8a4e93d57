import type { RegionPoint } from "@segmentation/masks";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { Model } from "../../../inference-container/src/models/model.ts";
import { Failure } from "../../shared/command-line.ts";
import { ensureModel } from "../../local/stack/model.ts";
import type { BenchRequest } from "../arguments.ts";
import { type Row, spreadTable } from "../report.ts";
import { STAGES, type TaskTimes, timeJob } from "../task-times.ts";
import { type BenchStack, withStack } from "../with-stack.ts";
import { benchPicture, type BenchPicture } from "./bench-picture.ts";

/** Each picture gets a first prompt or region, when no cache has seen it, and then another one. */
const KINDS = ["new picture", "cached features", "first region", "further region"] as const;

/** The times of one prompt or region on one picture, with the whole service and with the bare model, in milliseconds. */
interface Measurement {
  readonly kind: (typeof KINDS)[number];
  /** From createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly stages: TaskTimes["ms"];
  /** The model's graphs in a loop that does nothing else. */
  readonly bare: number;
}

/** The two sides of the measurement: the whole service, and the same model in this process. */
interface Bench extends Pick<BenchStack, "client" | "timesOf"> {
  readonly model: Model;
}

/** The request of one measurement. */
interface Asked {
  readonly kind: Measurement["kind"];
  /** True if the picture's features are cached by then. */
  readonly cached: boolean;
  readonly prompts?: string[];
  readonly points?: RegionPoint[];
}

async function bareLoop({ model }: Bench, { picture }: BenchPicture, { prompts = [], points }: Asked) {
  const { modelMs, featuresCached } = await model.segment(picture, {
    prompts,
    ...(points && { regions: [{ points }] }),
    threshold: 0.5,
    withFaint: false,
  });
  return { modelMs, featuresCached };
}

async function measureOne(
  bench: Bench,
  picture: BenchPicture,
  taskId: string,
  asked: Asked,
  bareFirst: boolean,
): Promise<Measurement> {
  const { kind, cached, prompts, points } = asked;
  const { client, timesOf } = bench;
  const before = bareFirst ? await bareLoop(bench, picture, asked) : null;
  const { whole, times } = await timeJob(client, timesOf, () =>
    client.createImageJob({
      tasks: [taskId],
      ...(prompts && { prompts }),
      ...(points && { regions: [{ taskId, points }] }),
    }),
  );
  const bare = before ?? (await bareLoop(bench, picture, asked));
  if (times.featuresCached !== cached || bare.featuresCached !== cached) {
    throw new Failure(
      "A cache was not in the expected state, so the benchmark's figures would be wrong. Run it again.",
    );
  }
  return { kind, whole, stages: times.ms, bare: bare.modelMs };
}

/**
 * Measures the n-th pair of pictures: prompts on one of them, and regions on the other if the model draws any. Each is first
 * new and then has cached features. The two sides take turns at going first.
 */
async function measurePair(bench: Bench, n: number): Promise<Measurement[]> {
  const [prompted, pointedAt] = [await benchPicture(2 * n), await benchPicture(2 * n + 1)];
  const [first, second] = prompted.prompts;
  const [onFirst, onSecond] = pointedAt.points;
  const pairs: [BenchPicture, [Asked, Asked]][] = [
    [
      prompted,
      [
        { kind: "new picture", cached: false, prompts: [first] },
        { kind: "cached features", cached: true, prompts: [second] },
      ],
    ],
  ];
  if (bench.model.drawsRegions === true)
    pairs.push([
      pointedAt,
      [
        { kind: "first region", cached: false, points: [onFirst] },
        { kind: "further region", cached: true, points: [onSecond] },
      ],
    ]);
  const measured: Measurement[] = [];
  for (const [picture, both] of pairs) {
    const taskId = await bench.client.upload(picture.file, "image/png");
    for (const asked of both) measured.push(await measureOne(bench, picture, taskId, asked, n % 2 === 1));
  }
  return measured;
}

const stage = ({ stages }: Measurement, name: string): number => stages[name] ?? 0;
const inService = (run: Measurement): number => STAGES.reduce((sum, name) => sum + stage(run, name), 0);

const ROWS: readonly Row<Measurement>[] = [
  ["whole path, ms", ({ whole }) => whole, 0],
  ["the model's graphs in it, ms", (run) => stage(run, "model"), 0],
  ["**share that is not the model's, %**", (run) => 100 * (1 - stage(run, "model") / run.whole), 1],
  ["createJob, queue, dispatch, poll, ms", (run) => run.whole - inService(run), 0],
  ...STAGES.filter((name) => name !== "infer").map(
    (name) => [`${name}, ms`, (run: Measurement) => stage(run, name), 1] as const,
  ),
  ["infer without the graphs, ms", (run) => stage(run, "infer") - stage(run, "model"), 1],
  ["bare ONNX Runtime loop, ms", ({ bare }) => bare, 0],
  ["**whole path ÷ bare loop**", (run) => run.whole / run.bare, 2],
];

/** The measurements as a Markdown table. */
function report(runs: readonly Measurement[]): string[] {
  return spreadTable(
    ROWS,
    KINDS.map((heading) => ({ heading, runs: runs.filter(({ kind }) => kind === heading) })).filter(
      ({ runs: ofKind }) => ofKind.length > 0,
    ),
  );
}

/** Measures `pictures` pairs of pictures one after another, with the model that the stack serves, and returns the report's lines. */
export async function benchPictures({ pictures }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  return await withStack(signal, async (stack) => {
    const model = await loadModel(await ensureModel(stack.mark, signal));
    const bench = { ...stack, model };
    const runs: Measurement[] = [];
    // The first picture warms the path up and is not counted.
    await measurePair(bench, 0);
    for (let n = 1; n <= pictures; n += 1) {
      signal.throwIfAborted();
      runs.push(...(await measurePair(bench, n)));
      console.error(`picture ${n} of ${pictures}`);
    }
    await model.close();
    return [`Model ${model.id} ${model.version}.`, "", ...report(runs)];
  });
}
