import type { Model } from "../../../inference-container/src/models/model.ts";
import { Failure } from "../../shared/command-line.ts";
import type { TaskTimes } from "../task-times.ts";
import { timeJob } from "../time-job.ts";
import type { BenchStack } from "../with-stack.ts";
import { benchPicture, type BenchPicture } from "./bench-picture.ts";

/** The times of one prompt on one picture, with the whole service and with the bare model, in milliseconds. */
export interface Measurement {
  readonly kind: "new picture" | "cached features";
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

async function bareLoop({ model }: Bench, { picture }: BenchPicture, prompt: string) {
  const { modelMs, featuresCached } = await model.segment(picture, {
    prompts: [prompt],
    threshold: 0.5,
    withFaint: false,
  });
  return { modelMs, featuresCached };
}

async function measureOne(
  bench: Bench,
  picture: BenchPicture,
  taskId: string,
  kind: Measurement["kind"],
  bareFirst: boolean,
): Promise<Measurement> {
  const prompt = picture.prompts[kind === "new picture" ? 0 : 1];
  const { client, timesOf } = bench;
  const before = bareFirst ? await bareLoop(bench, picture, prompt) : null;
  const { whole, times } = await timeJob(client, timesOf, () =>
    client.createImageJob({ tasks: [taskId], prompts: [prompt] }),
  );
  const bare = before ?? (await bareLoop(bench, picture, prompt));
  const cached = kind === "cached features";
  if (times.featuresCached !== cached || bare.featuresCached !== cached) {
    throw new Failure(
      "A cache was not in the expected state, so the benchmark's figures would be wrong. Run it again.",
    );
  }
  return { kind, whole, stages: times.ms, bare: bare.modelMs };
}

/** Measures the n-th picture, first new and then with cached features. The two sides take turns at going first. */
export async function measurePicture(bench: Bench, n: number): Promise<Measurement[]> {
  const picture = await benchPicture(n);
  const taskId = await bench.client.upload(picture.file, "image/png");
  const bareFirst = n % 2 === 1;
  return [
    await measureOne(bench, picture, taskId, "new picture", bareFirst),
    await measureOne(bench, picture, taskId, "cached features", bareFirst),
  ];
}
