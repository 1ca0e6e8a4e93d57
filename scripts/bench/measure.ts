import { setTimeout as sleep } from "node:timers/promises";
import type { Model } from "../../inference-container/src/models/model.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import { benchPicture, type BenchPicture } from "./pictures.ts";
import type { TaskTimes } from "./task-times.ts";

/** One prompt on one picture: by the whole service, and by the bare model beside it. Milliseconds. */
export interface Measurement {
  readonly kind: "new picture" | "cached features";
  /** From createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly stages: TaskTimes["ms"];
  /** The model's graphs in a loop that does nothing else. */
  readonly bare: number;
}

const POLL_MS = 10;

/** What the measurement works with: the public API, the service's log, and the same model in this process. */
export interface Bench {
  readonly client: ApiClient;
  readonly timesOf: (jobId: string) => Promise<TaskTimes>;
  readonly model: Model;
}

async function wholePath({ client, timesOf }: Bench, taskId: string, prompt: string) {
  const begun = performance.now();
  const { jobId } = await client.createImageJob({ tasks: [taskId], prompts: [prompt] });
  // Polling all the while would take the model's processors; the service's log says when it is worth while.
  const times = await timesOf(jobId);
  for (;;) {
    const { status, error } = await client.retrieveJob(jobId);
    if (status === "failed") throw new Failure(`A job of the benchmark failed: ${error ?? "no reason"}`);
    if (status === "success") return { whole: performance.now() - begun, times };
    await sleep(POLL_MS);
  }
}

async function bareLoop({ model }: Bench, { picture }: BenchPicture, prompt: string) {
  const { modelMs, featuresCached } = await model.segment(picture, { prompts: [prompt], threshold: 0.5 });
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
  const before = bareFirst ? await bareLoop(bench, picture, prompt) : null;
  const { whole, times } = await wholePath(bench, taskId, prompt);
  const bare = before ?? (await bareLoop(bench, picture, prompt));
  const cached = kind === "cached features";
  if (times.featuresCached !== cached || bare.featuresCached !== cached) {
    throw new Failure("A cache was not in the state that the benchmark wants; its figures would be wrong.");
  }
  return { kind, whole, stages: times.ms, bare: bare.modelMs };
}

/** Measures the n-th picture, new and then with its features cached; which side goes first alternates. */
export async function measurePicture(bench: Bench, n: number): Promise<Measurement[]> {
  const picture = await benchPicture(n);
  const taskId = await bench.client.upload(picture.png, "image/png");
  const bareFirst = n % 2 === 1;
  return [
    await measureOne(bench, picture, taskId, "new picture", bareFirst),
    await measureOne(bench, picture, taskId, "cached features", bareFirst),
  ];
}
