import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import type { TaskLog, TaskTimes } from "./task-times.ts";

const POLL_MS = 10;

/** A job's times, measured by the client and by the service. */
export interface JobTime {
  readonly jobId: string;
  /** Milliseconds from createJob's request to the first poll that says success. */
  readonly whole: number;
  readonly times: TaskTimes;
}

/** Times a job of one task from its creation to its success. @throws Failure if the job fails */
export async function timeJob(
  client: ApiClient,
  timesOf: TaskLog["timesOf"],
  create: () => Promise<{ jobId: string }>,
): Promise<JobTime> {
  const begun = performance.now();
  const { jobId } = await create();
  // Constant polling would take processor time from the model, so it starts when the service's log reports the end.
  const times = await timesOf(jobId);
  for (;;) {
    const { status, error } = await client.retrieveJob(jobId);
    if (status === "failed")
      throw new Failure(`A job of the benchmark failed: ${error ?? "no reason given"}`);
    if (status === "success") return { jobId, whole: performance.now() - begun, times };
    await sleep(POLL_MS);
  }
}
