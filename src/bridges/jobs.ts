import { CreateJobRequest, type JobStatus } from "../contract/job.ts";
import type { Region } from "../contract/region.ts";
import { ServiceError } from "../core/errors.ts";
import type { FinishedJob, JobAnswer } from "../core/jobs/answers.ts";
import { fingerprintOf } from "../core/lib/digest.ts";
import { mapPool } from "../core/lib/pool.ts";
import { complaint } from "../http/complaint.ts";
import { boundAccount } from "../services/authenticate.ts";
import { createJob } from "../services/operations/create-job.ts";
import { retrieveJob } from "../services/operations/jobs.ts";
import type { BridgeClient } from "./client.ts";
import { finishedJob } from "./found.ts";
import { forgetUpload, type Source, uploadOf } from "./uploads.ts";

/** For how long a tool is kept waiting, seconds: most give up after a minute. */
export const WAIT_SECONDS = 55;

/** How many pictures are stored at a time: some pass through memory. */
const MOST_UPLOADS = 3;

/** What to look for in pictures. A region belongs to one of them, by its place. */
export interface Wanted {
  readonly prompts?: readonly string[] | undefined;
  readonly regions?: readonly (Omit<Region, "taskId"> & { readonly picture: number })[];
  readonly threshold?: number | undefined;
  readonly generatePreview?: boolean;
}

/** A job that was created over pictures. */
export interface CreatedJob {
  readonly jobId: string;
  /** The uploads of the pictures, in their order. */
  readonly taskIds: readonly string[];
  /** Of what was asked, for an answer that comes too late. */
  readonly key: string;
}

/**
 * Creates a job over pictures, which also writes COCO annotations: those the bridges read. A file that turns out to be a clip
 * becomes a job for a clip, if only prompts are asked for. It counts as two requests more.
 * @throws ServiceError as uploadOf and createJob.
 */
export async function createJobOf(
  client: BridgeClient,
  sources: readonly Source[],
  wanted: Wanted,
): Promise<CreatedJob> {
  await boundAccount(client.platform, client.account.accountId, 2);
  try {
    return await create(client, sources, wanted);
  } catch (error) {
    const isGone =
      error instanceof ServiceError &&
      (error.code === "task_not_owned" || error.code === "upload_incomplete");
    if (!isGone) throw error;
    const forgotten = await Promise.all(sources.map((source) => forgetUpload(client, source)));
    if (!forgotten.includes(true)) throw error;
    return create(client, sources, wanted);
  }
}

async function create(client: BridgeClient, sources: readonly Source[], wanted: Wanted): Promise<CreatedJob> {
  const { platform, account } = client;
  const { prompts, regions = [], threshold, generatePreview } = wanted;
  const taskIds = await mapPool(sources, MOST_UPLOADS, (source) => uploadOf(client, source));
  const key = `${account.accountId} job ${await fingerprintOf({ ...wanted, taskIds })}`;
  const begun = platform.sentAgain.get(key, Date.now());
  if (begun !== undefined) return { jobId: begun, taskIds, key };
  // The same picture may come twice.
  const tasks = [...new Set(taskIds)];
  const common = { prompts, tasks, generatePreview, formats: ["coco"] };
  const regionsOfJob = regions.map(({ picture, ...region }) => ({ ...region, taskId: taskIds[picture] }));
  const image = { ...common, type: "image", threshold, ...(regions.length > 0 && { regions: regionsOfJob }) };
  const mayBeClip = regions.length === 0 && tasks.length === 1 && prompts !== undefined;
  const jobId = await submit(client, image).catch((error: unknown) => {
    const isClip = error instanceof ServiceError && error.code === "task_type_mismatch";
    if (!isClip || !mayBeClip) throw error;
    return submit(client, { ...common, type: "video", scoreThreshold: threshold });
  });
  return { jobId, taskIds, key };
}

async function submit(client: BridgeClient, body: object): Promise<string> {
  const parsed = CreateJobRequest.safeParse(body);
  if (!parsed.success) throw new ServiceError("invalid_request", complaint(CreateJobRequest, body, "json"));
  const creating = createJob({ ...client, body: parsed.data });
  client.keep(creating);
  return (await creating).answer.jobId;
}

/**
 * A job at its end, or after so many seconds. `report` hears how far it is, every few seconds while that changes.
 * @throws ServiceError job_not_found.
 */
export async function waitForJob(
  client: BridgeClient,
  jobId: string,
  seconds: number,
  report: ((progress: number) => Promise<void>) | null = null,
): Promise<JobAnswer> {
  const until = Date.now() + seconds * 1_000;
  for (let reported = 0; ;) {
    const left = Math.ceil((until - Date.now()) / 1_000);
    if (left <= 0) return retrieveJob({ ...client, jobId });
    const waitSeconds = report === null ? left : Math.min(left, REPORTED_EVERY_SECONDS);
    const answer = await retrieveJob({ ...client, jobId, waitSeconds });
    if (hasEnded(answer.status) || client.gone.aborted) return answer;
    if (answer.progress > reported) await report?.((reported = answer.progress));
  }
}

const REPORTED_EVERY_SECONDS = 2;

/** Whether a job has ended. */
const hasEnded = ({ status }: Pick<JobStatus, "status">): boolean =>
  status === "success" || status === "failed";

/**
 * Runs a job for a tool that knows no jobs. One that takes longer keeps running, and answers the same question, now and later.
 * @throws ServiceError job_not_ready, with the reason; as createJobOf.
 */
export async function runJob(
  client: BridgeClient,
  sources: readonly Source[],
  wanted: Wanted,
): Promise<{ readonly job: FinishedJob; readonly taskIds: readonly string[] }> {
  const { jobId, taskIds, key } = await createJobOf(client, sources, wanted);
  const { sentAgain } = client.platform;
  sentAgain.put(key, jobId, Date.now());
  const { status } = await waitForJob(client, jobId, WAIT_SECONDS).catch((error: unknown) => {
    sentAgain.delete(key);
    throw error;
  });
  if (!hasEnded(status))
    throw new ServiceError(
      "job_not_ready",
      `The job ${jobId} is not finished after ${WAIT_SECONDS} seconds. Ask the same again in a minute: it is not charged again.`,
      { retryAfterSeconds: WAIT_SECONDS },
    );
  sentAgain.delete(key);
  if (status.status === "success") return { job: await finishedJob(client, jobId), taskIds };
  const reason = status.error ?? status.tasks.find((task) => task.error !== null)?.error ?? "";
  throw new ServiceError("job_not_ready", `The job ${jobId} failed: ${reason}`);
}
