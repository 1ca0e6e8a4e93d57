import type { Instance } from "../rules/instances.ts";
import type { FoundJob } from "./found-job.ts";

/** Results of one or several searches of the same pictures, seen together. */
export class Found {
  /** The oldest first. */
  readonly jobs: readonly FoundJob[];
  readonly prompts: readonly string[];
  /** Of each task's masks, by taskId. */
  readonly confidences: ReadonlyMap<string, readonly number[]>;

  constructor(jobs: readonly FoundJob[]) {
    this.jobs = jobs;
    this.prompts = jobs.flatMap(({ prompts }) => prompts);
    const confidences = new Map<string, readonly number[]>();
    for (const job of jobs)
      for (const [taskId, own] of job.confidences)
        confidences.set(taskId, [...(confidences.get(taskId) ?? []), ...own]);
    this.confidences = confidences;
  }

  /** The ids of the jobs that have finished a task. */
  sourcesOf(taskId: string): string {
    return this.#jobsOf(taskId)
      .map(({ jobId }) => jobId)
      .join("+");
  }

  /** Fetches a task's masks, those of the oldest search first. @throws SegmentationError */
  async instances(taskId: string): Promise<readonly Instance[]> {
    const all = await Promise.all(this.#jobsOf(taskId).map(async (job) => await job.instances(taskId)));
    const numbers = new Map<string | null, number>();
    return all.flat().map((instance) => {
      const number = 1 + (numbers.get(instance.label) ?? 0);
      numbers.set(instance.label, number);
      return Object.assign({}, instance, { number });
    });
  }

  /** The latest search's picture with its masks drawn on it; null if there is none. @throws SegmentationError */
  async preview(taskId: string): Promise<Blob | null> {
    return (await this.#jobsOf(taskId).at(-1)?.preview(taskId)) ?? null;
  }

  #jobsOf(taskId: string): readonly FoundJob[] {
    return this.jobs.filter(({ confidences }) => confidences.has(taskId));
  }
}
