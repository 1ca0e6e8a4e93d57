import { z } from "zod";

const TaskLine = z.object({
  msg: z.literal("task"),
  key: z.string(),
  outcome: z.literal("success"),
  featuresCached: z.boolean(),
  /** Milliseconds of each stage; `model` is the part of `infer` inside the model's graphs. */
  ms: z.record(z.string(), z.number()),
});
export type TaskTimes = z.infer<typeof TaskLine>;

/** Where the inference service says that a task's time went, or null for any other line of its log. */
export function taskTimes(line: string): TaskTimes | null {
  if (!line.includes('"msg":"task"')) return null;
  const parsed = TaskLine.safeParse(JSON.parse(line));
  return parsed.success ? parsed.data : null;
}
