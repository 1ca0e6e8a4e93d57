import { z } from "zod";
import { Failure } from "../shared/command-line.ts";

const TaskLine = z.object({
  msg: z.literal("task"),
  key: z.string(),
  outcome: z.string(),
  code: z.string().optional(),
  /** Of pictures alone. */
  featuresCached: z.boolean().optional(),
  /** Milliseconds of each stage; `model` are those inside the model's graphs, of a clip's frames also beside other stages. */
  ms: z.record(z.string(), z.number()),
});
export type TaskTimes = z.infer<typeof TaskLine>;

/** Where the inference service says that a task's time went, or null for any other line of its log. */
export function taskTimes(line: string): TaskTimes | null {
  if (!line.includes('"msg":"task"')) return null;
  return TaskLine.safeParse(JSON.parse(line)).data ?? null;
}

/** The service's log, read for its tasks. */
export interface TaskLog {
  /** Takes each line of the log. */
  readonly onLine: (line: string) => void;
  /** The times of a job's task as soon as it ends. @throws Failure where it did not end well */
  readonly timesOf: (jobId: string) => Promise<TaskTimes>;
}

/** Collects the service's task lines, and gives each as it comes. */
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
      throw new Failure(`A task of the benchmark ended as ${times.outcome}: ${times.code ?? "no reason"}.`);
    },
  };
}
