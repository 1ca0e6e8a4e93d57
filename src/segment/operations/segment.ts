import { UNLABELLED } from "@segmentation/protocol";
import type { ImageJobRequest } from "../../jobs/contract/job.ts";
import { createJobOnce } from "../../jobs/operations/create-job.ts";
import { RESULT_SECONDS } from "../../jobs/operations/jobs.ts";
import { MOST_WAIT_SECONDS } from "../../jobs/rules/waiters.ts";
import type { Once } from "../../shared/api/idempotency.ts";
import { ServiceError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { forgetUpload } from "../../uploads/operations/store-file.ts";
import type { Segmentation, SegmentRequest } from "../contract/segment.ts";
import { finishedJob, type FoundObject, foundIn } from "./found.ts";
import { newUpload } from "./new-upload.ts";
import type { Requester } from "./requester.ts";
import { hasEnded, jobFailed, waitForJob } from "./wait-for-job.ts";

/** The picture of a request. The file of a form is stored as it arrives; `stored` is null for that of a repetition. */
export type Picture =
  | { readonly taskId: string }
  | { readonly url: string }
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly sha256: string; readonly stored: { readonly taskId: string; readonly size: number } | null };

/** A request's fields in addition to its picture. */
export type Sought = Omit<SegmentRequest, "image">;

const OPERATION = "segment";
const RETRY_SECONDS = 1;

/** Returns true if a request repeats a successful one: its file is not stored again. */
export async function isRepetition({ platform, account, idempotencyKey: key }: Requester): Promise<boolean> {
  if (key === undefined) return false;
  const { accountId } = account;
  return platform.idempotency.hasAnswer({ accountId, operation: OPERATION, key }, Date.now());
}

/**
 * Stores the picture and creates its job, once per Idempotency-Key.
 * @throws ServiceError as newUpload and createJob; then neither an upload nor a job remains.
 */
export async function segment(
  client: Requester,
  picture: Picture,
  sought: Sought,
): Promise<Once<{ readonly jobId: string }>> {
  const { platform, account, idempotencyKey: key } = client;
  let made = "sha256" in picture ? picture.stored : null;
  const forgetMade = async () => {
    if (made !== null) await forgetUpload(platform, account.accountId, made.taskId, made.size);
  };
  const store = async (): Promise<ImageJobRequest> => {
    if ("taskId" in picture) return jobOf(picture.taskId, sought);
    if ("url" in picture) made = await newUpload(client, picture);
    if ("bytes" in picture) made = await newUpload(client, { ...picture, contentType: null });
    // The first request with this key was forgotten after this file had been read: the next repetition stores its file.
    if (made === null)
      throw new ServiceError("idempotency_in_progress", undefined, { retryAfterSeconds: RETRY_SECONDS });
    return jobOf(made.taskId, sought);
  };
  try {
    const name = { operation: OPERATION, key, body: { ...sought, image: await identityOf(picture) } };
    const created = await createJobOnce(platform, account, name, ONE_PICTURE, store);
    if (created.replayed) await forgetMade();
    return created;
  } catch (error) {
    // After any other failure the job may exist.
    if (error instanceof ServiceError) await forgetMade();
    throw error;
  }
}

const ONE_PICTURE = { type: "image", totalItems: 1 } as const;

/** Returns the part of a picture by which a repeated request is recognized. */
async function identityOf(picture: Picture): Promise<object> {
  if ("bytes" in picture) return { sha256: await sha256Hex(picture.bytes) };
  return "sha256" in picture ? { sha256: picture.sha256 } : picture;
}

/** Returns the job that a client would create of the upload. */
const jobOf = (taskId: string, { rle: _rle, regions, ...sought }: Sought): ImageJobRequest => ({
  ...sought,
  type: "image",
  tasks: [taskId],
  ...(regions !== undefined && { regions: regions.map((region) => ({ ...region, taskId })) }),
  formats: ["coco"],
});

/**
 * Returns the objects that a job has found in its picture, once it has ended; null if it takes longer.
 * @param seconds the longest wait; null without a preference
 * @throws ServiceError job_not_found; job_not_ready, with the reason.
 */
export async function segmentationOf(
  client: Requester,
  jobId: string,
  seconds: number | null,
  { rle: withRle }: Pick<Sought, "rle">,
): Promise<Segmentation | null> {
  const { status } = await waitForJob(client, jobId, seconds ?? MOST_WAIT_SECONDS);
  if (!hasEnded(status)) return null;
  if (status.status === "failed") throw jobFailed(status);
  const job = await finishedJob(client, jobId);
  const picture = await foundIn(client, job, job.definition.taskIds[0] ?? "");
  if (picture === null || picture.size === null)
    throw new ServiceError(
      "job_not_ready",
      `The result of the job ${jobId} does not fit into one response. Get it with GET /v1/jobs/${jobId}/result.`,
    );
  const { platform } = client;
  const signer = await platform.media.signGets(RESULT_SECONDS);
  const urlOf = async (key: string) => signer.url(key, await signer.signature(key));
  const { regions = [] } = job.definition;
  const objects = picture.objects.map(async ({ index, by, confidence, maskKey, shape }) => ({
    index,
    ...("prompt" in by ? by : { label: regions[by.region]?.label ?? UNLABELLED }),
    confidence,
    ...shownShape(shape, withRle),
    maskUrl: await urlOf(maskKey),
  }));
  const { width, height } = picture.size;
  const { previewKey } = picture;
  return {
    jobId,
    width,
    height,
    objects: await Promise.all(objects),
    ...(previewKey !== null && { previewUrl: await urlOf(previewKey) }),
  };
}

function shownShape(shape: FoundObject["shape"], withRle: boolean) {
  if (shape === null) return { box: null, area: 0 };
  const { box, area, rle } = shape;
  const [x, y, width, height] = box;
  const [rows = 0, columns = 0] = rle.size;
  const own: [number, number, number, number] = [x, y, width, height];
  const size: [number, number] = [rows, columns];
  return { box: own, area, ...(withRle && { rle: { size, counts: rle.counts } }) };
}
