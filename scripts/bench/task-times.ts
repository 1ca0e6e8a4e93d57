import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ApiClient } from "../shared/api-client.ts";
import { Failure } from "../shared/command-line.ts";

const TaskLine = z.object({
  msg: z.literal("task"),
  key: z.string(),
  outcome: z.string(),
  code: z.string().optional(),
  /** Only for pictures. */
  featuresCached: z.boolean().optional(),
  /** Milliseconds per stage. `model` is the time inside the model's graphs; for a video's frames it overlaps with other stages. */
  ms: z.record(z.string(), z.number()),
});
export type TaskTimes = z.infer<typeof TaskLine>;

/** The service's stages, in the order in which a task passes through them. */
export const STAGES = [
  "queue",
  "fetch",
  "wait",
  "decode",
  "infer",
  "post",
  "encode",
  "upload",
  "commit",
] as const;

/** The times in a task's line of the inference service's log; null for any other line. */
function taskTimes(line: string): TaskTimes | null {
  if (!line.includes('"msg":"task"')) return null;
  return TaskLine.safeParse(JSON.parse(line)).data ?? null;
}

/** Reads the tasks' times from the service's log. */
export interface TaskLog {
  /** Takes each line of the log. */
  readonly onLine: (line: string) => void;
  /** The times of a job's task, as soon as it ends. @throws Failure if the task failed */
  readonly timesOf: (jobId: string) => Promise<TaskTimes>;
}

/** Collects the times of tasks from the service's log as they arrive. */
export function collectTimes(): TaskLog {
  const byJob = new Map<string, PromiseWithResolvers<TaskTimes>>();
  const entry = (jobId: string): PromiseWithResolvers<TaskTimes> => {
    const known = byJob.get(jobId) ?? Promise.withResolvers<TaskTimes>();
    byJob.set(jobId, known);
    return known;
  };
  return {
    onLine: (line) => {
      const times = taskTimes(line);
      if (times !== null) entry(times.key.split(".")[0] ?? "").resolve(times);
    },
    timesOf: async (jobId) => {
      const times = await entry(jobId).promise;
      if (times.outcome === "success") return times;
      throw new Failure(
        `A task of the benchmark ended as ${times.outcome}: ${times.code ?? "no reason given"}.`,
      );
    },
  };
}

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
