import { CreateJobRequest } from "../jobs/contract/job.ts";
import type { Region } from "../jobs/contract/region.ts";
import { ServiceError } from "../shared/errors.ts";
import type { FinishedJob } from "../jobs/rules/answers.ts";
import { fingerprintOf } from "../shared/digest.ts";
import { mapPool } from "../shared/pool.ts";
import { complaint } from "../http/complaint.ts";
import { boundAccount } from "../accounts/operations/authenticate.ts";
import { createJob } from "../jobs/operations/create-job.ts";
import { retrieveJob } from "../jobs/operations/jobs.ts";
import type { RecalledJob } from "./store/repeated-requests.ts";
import type { Requester } from "../segment/operations/requester.ts";
import { finishedJob } from "../segment/operations/found.ts";
import type { Source } from "../segment/operations/new-upload.ts";
import { hasEnded, jobFailed, waitForJob } from "../segment/operations/wait-for-job.ts";
import { keyOf, REPEATED_MS, uploadOf } from "./uploads.ts";

/** Seconds that a tool waits: most give up after a minute. */
export const WAIT_SECONDS = 55;

/** Number of pictures to store at a time: some pass through memory. */
const MOST_UPLOADS = 3;

/** The objects to find in pictures. A region belongs to the picture with its index. */
export interface Wanted {
  readonly prompts?: readonly string[] | undefined;
  readonly regions?: readonly (Omit<Region, "taskId"> & { readonly picture: number })[];
  readonly threshold?: number | undefined;
  readonly generatePreview?: boolean;
}

/** A job created for pictures. */
export interface CreatedJob {
  readonly jobId: string;
  /** The uploads of the pictures, in their order. */
  readonly taskIds: readonly string[];
  /** The Idempotency-Key of the request. */
  readonly key: string;
}

/** Number of retries while another request creates the same job. */
const MOST_RETRIES = 20;
const RETRY_MS = 1_000;

/**
 * Creates a job for pictures that also writes COCO annotations, which the bridges read. A file that turns out to be a video
 * becomes a job for a video, if only prompts were given. Answers a request of the last hour that has not failed with its job, in
 * any isolate. Counts as two requests more.
 * @throws ServiceError as uploadOf and createJob.
 */
export async function createJobOf(
  client: Requester,
  sources: readonly Source[],
  wanted: Wanted,
): Promise<CreatedJob> {
  await boundAccount(client.platform, client.account.accountId, 2);
  const pictures = await Promise.all(sources.map(async (source) => ({ source, key: await keyOf(source) })));
  const key = `bridge ${await fingerprintOf({ ...wanted, pictures: pictures.map((picture) => picture.key) })}`;
  for (let retries = 0; ; retries++) {
    try {
      const { jobId, taskIds } = await recallOrCreate(client, pictures, wanted, key);
      return { jobId, taskIds, key };
    } catch (error) {
      // Another request is creating this job, or a request with other uploads of the same pictures was interrupted.
      const isTaken =
        error instanceof ServiceError &&
        (error.code === "idempotency_in_progress" || error.code === "idempotency_mismatch");
      if (!isTaken || retries === MOST_RETRIES) throw error;
      await forget(client, key, null);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

const forget = ({ platform, account }: Requester, key: string, jobId: string | null): Promise<void> =>
  platform.repeatedRequests.forget(account.accountId, key, jobId, Date.now());

async function recallOrCreate(
  client: Requester,
  pictures: readonly { readonly source: Source; readonly key: string }[],
  wanted: Wanted,
  idempotencyKey: string,
): Promise<Omit<CreatedJob, "key">> {
  const { platform, account } = client;
  const since = Date.now() - REPEATED_MS;
  // The same picture may come twice.
  const sources = new Map(pictures.map(({ key, source }) => [key, source]));
  const keys = [...sources.keys()];
  const ofPictures = (tasks: readonly string[]) => pictures.map(({ key }) => tasks[keys.indexOf(key)] ?? "");
  const { job, uploads } = await platform.repeatedRequests.recall(
    account.accountId,
    idempotencyKey,
    keys,
    since,
  );
  if (job !== null) {
    const taskIds = job.createdAt > since ? await tasksOf(client, job) : null;
    if (taskIds === null) await forget(client, idempotencyKey, job.jobId);
    // Otherwise two of the pictures are one upload.
    else if (taskIds.length === keys.length) return { jobId: job.jobId, taskIds: ofPictures(taskIds) };
  }
  const made = await mapPool([...sources], MOST_UPLOADS, ([key, source]) =>
    uploadOf(client, source, key, uploads.get(key)),
  );
  const taskIds = ofPictures(made);
  return { jobId: await create(client, taskIds, wanted, idempotencyKey), taskIds };
}

/** Returns the tasks of a job that can still answer; null if it has failed or was deleted. */
async function tasksOf(client: Requester, { jobId, status: listed }: RecalledJob): Promise<string[] | null> {
  if (listed === null || listed === "failed") return null;
  const { status } = await retrieveJob({ ...client, jobId });
  return status.status === "failed" ? null : status.tasks.map(({ taskId }) => taskId);
}

async function create(
  client: Requester,
  taskIds: readonly string[],
  { prompts, regions = [], threshold, generatePreview }: Wanted,
  key: string,
): Promise<string> {
  const tasks = [...new Set(taskIds)];
  const common = { prompts, tasks, generatePreview, formats: ["coco"] };
  const regionsOfJob = regions.map(({ picture, ...region }) => ({ ...region, taskId: taskIds[picture] }));
  const image = { ...common, type: "image", threshold, ...(regions.length > 0 && { regions: regionsOfJob }) };
  const mayBeClip = regions.length === 0 && tasks.length === 1 && prompts !== undefined;
  return submit(client, image, key).catch((error: unknown) => {
    const isClip = error instanceof ServiceError && error.code === "task_type_mismatch";
    if (!isClip || !mayBeClip) throw error;
    return submit(client, { ...common, type: "video", scoreThreshold: threshold }, key);
  });
}

async function submit(client: Requester, body: object, idempotencyKey: string): Promise<string> {
  const parsed = CreateJobRequest.safeParse(body);
  if (!parsed.success) throw new ServiceError("invalid_request", complaint(CreateJobRequest, body, "json"));
  const creating = createJob({ ...client, body: parsed.data, idempotencyKey });
  client.keep(creating);
  return (await creating).answer.jobId;
}

/**
 * Waits for the end of a job, for a tool that has no jobs. A job that takes longer than the tool waits keeps running, and answers
 * the same request for an hour.
 * @throws ServiceError job_not_ready, with the reason.
 */
export async function endOf(
  client: Requester,
  { jobId, key }: Pick<CreatedJob, "jobId" | "key">,
): Promise<FinishedJob> {
  const { status } = await waitForJob(client, jobId, WAIT_SECONDS);
  if (!hasEnded(status))
    throw new ServiceError(
      "job_not_ready",
      `The job ${jobId} is not finished after ${WAIT_SECONDS} seconds. Ask the same again in a minute: within an hour, it is not charged again.`,
      { retryAfterSeconds: WAIT_SECONDS },
    );
  if (status.status === "success") return finishedJob(client, jobId);
  await forget(client, key, jobId);
  throw jobFailed(status);
}
