import { type Signal, signal } from "@preact/signals";
import type { JobStatus, JobSummary, SegmentationClient } from "segmentation-client";
import { isCanceled } from "../../text/task-problems.ts";
import { isUnderWay } from "./job-words.ts";

/** Details of a job that the list does not have. */
export interface JobDetails {
  /** The job's uploads, to find their pictures in this browser. */
  readonly taskIds: readonly string[];
  readonly prompts: readonly string[];
  /** Number of its masks; null if it has no result. */
  readonly masks: number | null;
  /** True if a person canceled it before any task succeeded. */
  readonly isCanceled: boolean;
  /** Number of its tasks that have ended. */
  readonly done: number;
  /** The share of its work that is done, 0 to 1. */
  readonly progress: number;
}

/** The results of larger jobs are too long for a line of a list. */
const MOST_TASKS = 20;
const PARALLEL = 2;
const JOBS_KEPT = 2_000;

/** Fetches the details of listed jobs once, two at a time; of an unfinished job, again after its end. */
export class DetailsOfJobs {
  readonly #client: SegmentationClient;
  readonly #known = new Map<string, Signal<JobDetails | null>>();
  readonly #asked = new Set<string>();
  #wanted: readonly JobSummary[] = [];
  #working = 0;

  constructor(client: SegmentationClient) {
    this.#client = client;
  }

  /** The details of a job, as soon as they are known. */
  of(jobId: string): Signal<JobDetails | null> {
    let known = this.#known.get(jobId);
    if (known === undefined) {
      known = signal(null);
      this.#known.set(jobId, known);
    }
    return known;
  }

  /** Sets the jobs whose details are wanted: earlier ones that have not been requested yet are dropped. */
  want(jobs: readonly JobSummary[]): void {
    this.#wanted = jobs.filter((job) =>
      isUnderWay(job) ? this.of(job.jobId).peek() === null : !this.#asked.has(job.jobId),
    );
    if (this.#known.size > JOBS_KEPT) this.#forgetOthers(jobs);
    for (; this.#working < PARALLEL && this.#wanted.length > 0; this.#working += 1) void this.#workspace();
  }

  /** Requests the progress of a running job; returns its current state. */
  async follow(jobId: string, aborted: AbortSignal): Promise<JobStatus> {
    const { data, response } = await this.#client.api
      .retrieveJob({ jobId, include: "request" }, { signal: aborted })
      .withResponse();
    this.of(jobId).value = detailsOf(data, Number(response.headers.get("x-job-progress") ?? 0));
    return data;
  }

  async #workspace(): Promise<void> {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      // A failed part is left out of the line; the job's own screen says why.
      await this.#ask(job).catch(() => {});
    }
    this.#working -= 1;
  }

  #next(): JobSummary | undefined {
    const [next, ...others] = this.#wanted;
    this.#wanted = others;
    if (next !== undefined && !isUnderWay(next)) this.#asked.add(next.jobId);
    return next;
  }

  async #ask({ jobId, status, totalItems }: JobSummary): Promise<void> {
    if (status !== "success" || totalItems > MOST_TASKS) {
      const job = await this.#client.api.retrieveJob({ jobId, include: "request" });
      this.of(jobId).value = detailsOf(job, isUnderWay(job) ? 0 : 1);
      return;
    }
    const { manifest } = await this.#client.api.retrieveJobResult({ jobId });
    const masks =
      manifest.type === "image"
        ? manifest.items.map((item) => item.masks.length)
        : manifest.items.map((item) => item.counts.totalMasks);
    this.of(jobId).value = {
      taskIds: manifest.items.map(({ taskId }) => taskId),
      prompts: manifest.prompts,
      masks: masks.reduce((sum, each) => sum + each, 0),
      isCanceled: false,
      done: totalItems,
      progress: 1,
    };
  }

  #forgetOthers(jobs: readonly JobSummary[]): void {
    const seen = new Set(jobs.map(({ jobId }) => jobId));
    for (const jobId of this.#known.keys())
      if (!seen.has(jobId)) {
        this.#known.delete(jobId);
        this.#asked.delete(jobId);
      }
  }
}

const detailsOf = ({ prompts = [], tasks }: JobStatus, progress: number): JobDetails => ({
  taskIds: tasks.map(({ taskId }) => taskId),
  prompts,
  masks: null,
  isCanceled:
    tasks.some(({ error }) => isCanceled(error)) && !tasks.some(({ status }) => status === "success"),
  done: tasks.filter(({ status }) => status === "success" || status === "failed").length,
  progress,
});
