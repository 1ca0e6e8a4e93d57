import { z } from "zod";
import { Failure } from "../shared/command-line.ts";

const TaskLine = z.object({
  msg: z.literal("task"),
  key: z.string(),
  outcome: z.string(),
  code: z.string().optional(),
  /** Only for pictures. */
  featuresCached: z.boolean().optional(),
  /** Milliseconds per stage. `model` is the time inside the model's graphs; for a clip's frames it overlaps with other stages. */
  ms: z.record(z.string(), z.number()),
});
export type TaskTimes = z.infer<typeof TaskLine>;

/** The times in a task's line of the inference service's log; null for any other line. */
export function taskTimes(line: string): TaskTimes | null {
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
