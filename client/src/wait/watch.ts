import { askFor } from "../api/api.ts";
import { followEvents } from "../api/follow-events.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { mayPass, pauseMs, sleep } from "../http/retry.ts";
import type { RequestOptions } from "../options.ts";
import type { JobStatus } from "../schemas.ts";
import { held, wasHeld } from "./held.ts";

/** How far a job is. */
export interface JobUpdate {
  readonly job: JobStatus;
  /** The share of the job's work that is done, 0 to 1; of a clip, the share of its frames. It can fall: a task may start again. */
  readonly progress: number;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 10_000;

const hasEnded = ({ status }: JobStatus): boolean => status === "success" || status === "failed";

/**
 * Tells how far a job is until it has ended: by the service's events; if they fail twice in a row, by answers that the
 * service holds back (`Prefer: wait`); and if it holds none back, by polling as its reference suggests.
 */
export async function* watch(
  connection: Connection,
  jobId: string,
  { signal }: RequestOptions,
): AsyncGenerator<JobUpdate, void> {
  for (let failures = 0; failures < 2;) {
    let heard = 0;
    try {
      for await (const update of followJob(connection, jobId, signal)) {
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
    // The first event comes at once: a stream that had no other was not worth its request.
    failures = heard > 1 ? 1 : failures + 1;
    if (failures < 2) await sleep(pauseMs(failures, connection.retryDelayMs), signal);
  }
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const { data: job, response } = await askFor(
      connection,
      "retrieveJob",
      { jobId },
      held(connection, signal),
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
  if (job === undefined) throw new TypeError("A job's watch ended without its end.");
  return job;
}

/** One stream of events, from the job's present status until the stream ends. */
async function* followJob(
  connection: Connection,
  jobId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<JobUpdate> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}/events`;
  let job: JobStatus | undefined;
  let progress = 0;
  const events = followEvents<JobStatus | { readonly progress: number }>(
    connection,
    { method: "GET", path, status: 200 },
    { signal },
  );
  for await (const { data } of events) {
    if ("progress" in data) ({ progress } = data);
    else job = data;
    if (job !== undefined) yield { job, progress: hasEnded(job) ? 1 : progress };
  }
}
