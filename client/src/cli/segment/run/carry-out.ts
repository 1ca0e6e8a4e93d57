import { SegmentationError } from "../../../errors.ts";
import { mapParallel } from "../../../http/parallel.ts";
import type { JobStatus } from "../../../schemas.ts";
import type { Pending } from "../inputs/survey.ts";
import type { OpenJob } from "../journal/state.ts";
import { type Order, imageRequest, videoRequest } from "../order.ts";
import { type Saving, note, saveJob } from "../output/save-job.ts";
import { createPlanned } from "./create-job.ts";
import { uploadInput } from "./upload-input.ts";

/** Runs tasks one at a time, in the order of the calls. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work after all earlier work has ended. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Parts that running a job requires. */
export interface Work extends Saving {
  readonly order: Order;
  /** Jobs upload their files one job after another: the first one starts soon. */
  readonly uploading: Turnstile;
  readonly uploads: number;
  /** Reports the share of these files that is done, 0 to 1. */
  readonly onShare: (ids: readonly string[], share: number) => void;
  readonly onBusy: (why: string) => void;
  /** Counts one more uploaded file. */
  readonly onSent: () => void;
}

interface Task {
  readonly id: string;
  readonly digest: string;
  readonly taskId: string;
}

/** Errors with which the service refuses a whole job because of one of its files. */
const OF_ONE_FILE = new Set<string>(["upload_too_large", "task_type_mismatch", "trial_format_unsupported"]);
/** Errors that mean: an upload in the journal, or the job, no longer exists. */
const GONE = new Set<string>(["task_not_owned", "upload_incomplete", "upload_not_found", "job_not_found"]);

const isOneOf = (codes: ReadonlySet<string>, error: unknown): error is SegmentationError =>
  error instanceof SegmentationError && codes.has(error.code);

/** Uploads files, creates a job from them, waits for it and saves its results. All files have the same prompts. */
export async function segmentBatch(all: Work, batch: readonly Pending[]): Promise<void> {
  const work = { ...all, order: { ...all.order, prompts: batch[0]?.prompts ?? all.order.prompts } };
  const { client, journal, uploading, uploads, signal } = work;
  const sent = await uploading.pass(() =>
    mapParallel(batch, uploads, signal, async (pending, _, each) => {
      const uploaded = await uploadInput(client, journal, pending, each);
      work.onSent();
      return uploaded;
    }),
  );
  const tasks: Task[] = [];
  for (const each of sent) {
    const { id, digest } = each.reading;
    if ("taskId" in each) tasks.push({ id, digest, taskId: each.taskId });
    else await fail(work, { id, digest }, each.problem);
  }
  if (tasks.length > 0) await segmentTasks(work, tasks, batch[0]?.kind === "clip");
}

async function segmentTasks(work: Work, tasks: readonly Task[], isClip: boolean): Promise<void> {
  const { journal, order } = work;
  const ids = tasks.map(({ taskId }) => taskId);
  const job: OpenJob = {
    key: crypto.randomUUID(),
    at: Date.now(),
    request: isClip ? videoRequest(order, ids[0] ?? "") : imageRequest(order, ids),
    inputs: tasks.map(({ id, digest }) => ({ id, digest })),
  };
  journal.append({ entry: "planned", ...job }, { isSafe: true });
  try {
    await carryOut(work, job);
  } catch (error) {
    if (!isOneOf(OF_ONE_FILE, error)) throw error;
    const [first] = tasks;
    if (tasks.length === 1 && first !== undefined)
      return await fail(work, first, `${error.code}: ${error.message}`);
    const half = Math.ceil(tasks.length / 2);
    await segmentTasks(work, tasks.slice(0, half), isClip);
    await segmentTasks(work, tasks.slice(half), isClip);
  }
}

/** Resumes a job of an earlier run. If the service refuses it because of one of its files, all of them are pending again. */
export async function takeUp(work: Work, job: OpenJob): Promise<void> {
  await carryOut(work, job).catch((error: unknown) => {
    if (!isOneOf(OF_ONE_FILE, error)) throw error;
  });
}

/** Creates a planned job if it does not exist yet, waits for it, and saves its results. */
async function carryOut(work: Work, job: OpenJob): Promise<void> {
  const { client, journal, signal } = work;
  const ids = job.inputs.map(({ id }) => id);
  try {
    const jobId = await createPlanned(client, journal, job, work);
    let last: JobStatus | undefined;
    for await (const update of client.watchJob(jobId, { signal })) {
      last = update.job;
      work.onShare(ids, update.progress);
    }
    if (last !== undefined) await saveJob(work, job, last);
    work.onShare(ids, 1);
  } catch (error) {
    if (!isOneOf(GONE, error)) throw error;
    // Its files without an outcome are pending again.
    for (const { id } of job.inputs) journal.append({ entry: "uploaded", id, digest: "", taskId: "", at: 0 });
    journal.append({ entry: "dropped", key: job.key });
  }
}

async function fail(
  work: Work,
  { id, digest }: { readonly id: string; readonly digest: string },
  problem: string,
) {
  await note(work, { id, digest, problem, hasFailed: true, files: [], masks: [] });
  work.onShare([id], 1);
}
