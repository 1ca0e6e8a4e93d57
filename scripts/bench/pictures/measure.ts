import type { RegionPoint } from "@segmentation/protocol";
import type { Model } from "../../../inference-container/src/models/model.ts";
import { Failure } from "../../shared/command-line.ts";
import type { TaskTimes } from "../task-times.ts";
import { timeJob } from "../time-job.ts";
import type { BenchStack } from "../with-stack.ts";
import { benchPicture, type BenchPicture } from "./bench-picture.ts";

/** What is asked: of a picture that no cache has seen a first prompt or region, and of the same picture a further one. */
export const KINDS = ["new picture", "cached features", "first region", "further region"] as const;

/** The times of one prompt or region on one picture, with the whole service and with the bare model, in milliseconds. */
export interface Measurement {
  readonly kind: (typeof KINDS)[number];
  /** From createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly stages: TaskTimes["ms"];
  /** The model's graphs in a loop that does nothing else. */
  readonly bare: number;
}

/** What the measurement needs: the whole service, and the same model in this process. */
export interface Bench extends Pick<BenchStack, "client" | "timesOf"> {
  readonly model: Model;
}

/** What one measurement asks of a picture. */
interface Asked {
  readonly kind: Measurement["kind"];
  /** Whether the picture's features are known by then. */
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
export async function measurePair(bench: Bench, n: number): Promise<Measurement[]> {
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
