import { askFor, requestOf } from "../api/api.ts";
import { followEvents } from "../api/follow-events.ts";
import { SegmentationError, isErrorCode } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { mayPass, pauseMs, sleep } from "../http/retry.ts";
import type { CallOptions } from "../options.ts";
import type { JobStatus } from "../schemas.ts";

/** Progress of a job. */
export interface JobUpdate {
  readonly job: JobStatus;
  /** The share of the job's work that is done, 0 to 1; of a video, the share of its frames. It can fall: a task may start again. */
  readonly progress: number;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 10_000;

/** True if a job, or a task, has ended. */
export const hasEnded = ({ status }: Pick<JobStatus, "status">): boolean =>
  status === "success" || status === "failed";

/**
 * Reports a job's progress until it has ended: by the service's events; if they fail twice in a row, by answers that
 * the service holds back (`Prefer: wait`); and if it holds none back, by polling at the interval of its reference.
 */
export async function* watch(
  connection: Connection,
  jobId: string,
  options: CallOptions,
): AsyncGenerator<JobUpdate, void> {
  const { signal } = options;
  for (let failures = 0; failures < 2;) {
    let heard = 0;
    try {
      for await (const update of followJob(connection, jobId, options)) {
        heard++;
        yield update;
        if (hasEnded(update.job)) return;
      }
    } catch (error) {
      if (!(error instanceof SegmentationError)) throw error;
      // A service without events knows no such path; one with too many streams has no room for another.
      if (error.code === "not_found" || error.status === 429) break;
      if (!mayPass(error)) throw error;
    }
    // The first event comes at once: a stream with no other was not worth its request.
    failures = heard > 1 ? 1 : failures + 1;
    if (failures < 2) await sleep(pauseMs(failures, connection.retryDelayMs), signal);
  }
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const { data: job, response } = await askFor(
      connection,
      "retrieveJob",
      { jobId },
      held(connection, options),
    );
    yield { job, progress: Number(response.headers.get("x-job-progress")) };
    if (hasEnded(job)) return;
    if (!wasHeld(response)) await sleep(pause, signal);
  }
}

/** The status with which a watch ends. */
export async function lastStatus(
  updates: AsyncIterable<JobUpdate>,
  onUpdate?: (update: JobUpdate) => void,
): Promise<JobStatus> {
  let job: JobStatus | undefined;
  for await (const update of updates) {
    onUpdate?.(update);
    ({ job } = update);
  }
  if (job === undefined) throw new SegmentationError("unreadable_answer", "The service sent no status.");
  return job;
}

/** One stream of events, from the job's present status until the stream ends. */
async function* followJob(
  connection: Connection,
  jobId: string,
  options: CallOptions,
): AsyncGenerator<JobUpdate> {
  let job: JobStatus | undefined;
  let progress = 0;
  const events = followEvents<JobStatus | { readonly progress: number }>(
    connection,
    requestOf("streamJobEvents", { jobId }),
    options,
  );
  for await (const { data } of events) {
    if ("progress" in data) ({ progress } = data);
    else job = data;
    if (job !== undefined) yield { job, progress: hasEnded(job) ? 1 : progress };
  }
}

/** The longest time for which the service may hold an answer back, in seconds; it allows 60, and proxies often less. */
const LONGEST_SECONDS = 25;

/** Asks for an answer that the service holds back until there is news, for half of a request's time limit. */
export function held(connection: Connection, options: CallOptions): CallOptions {
  const { timeoutMs = connection.timeoutMs } = options;
  const seconds = Math.max(1, Math.min(LONGEST_SECONDS, Math.floor(timeoutMs / 2_000)));
  const headers = { ...options.headers, prefer: `wait=${seconds}` };
  return { ...options, headers, timeoutMs: Math.max(timeoutMs, seconds * 2_000) };
}

/** True if the service held the answer back: its header says so. */
export const wasHeld = ({ headers }: Response): boolean => headers.has("preference-applied");

/** A problem's code, a colon, and its sentence. */
const PROBLEM = /^([a-z_]+): (.*)$/s;

/** The error of a job, or of an archive, that has failed: its code and sentence are those of the problem. */
export function problemError(problem: string | null | undefined, jobId: string): SegmentationError {
  const [, code, sentence = problem ?? "It failed."] = PROBLEM.exec(problem ?? "") ?? [];
  return new SegmentationError(isErrorCode(code) ? code : "internal_error", sentence, { jobId });
}

/** @throws SegmentationError if the job has failed: with the job's problem, or with its first task's */
export function assertSucceeded({ status, jobId, error, tasks }: JobStatus): void {
  if (status === "failed") throw problemError(error ?? tasks.find((task) => task.error)?.error, jobId);
}
