import type { CreateJobRequest } from "../contract/job.ts";
import { ServiceError, type ErrorCode } from "../../shared/errors.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";
import type { JobDefinition } from "../rules/state.ts";
import type { Platform } from "../../platform.ts";
import { jobObjectOf } from "./jobs.ts";

interface Asked {
  readonly index: number;
  readonly taskId: string;
  readonly jobId: string;
  readonly maskIndex: number;
}

/**
 * Returns the job with the bucket's keys of the masks that its regions refine.
 * @param stored the bucket's record of each of the job's uploads, in their order
 * @throws ServiceError job_not_found, job_not_ready, mask_not_found.
 */
export async function withRefinedMasks(
  platform: Platform,
  job: JobDefinition,
  request: CreateJobRequest,
  stored: readonly StoredUpload[],
): Promise<JobDefinition> {
  if (job.type !== "image" || request.type !== "image") return job;
  const asked = (request.regions ?? []).flatMap(({ taskId, refines }, index): Asked[] =>
    refines === undefined ? [] : [{ index, taskId, ...refines }],
  );
  if (asked.length === 0) return job;
  const etags = new Map(job.taskIds.map((taskId, i) => [taskId, stored[i]?.etag]));
  const ofJobs = [...Map.groupBy(asked, ({ jobId }) => jobId).values()].map((ofJob) =>
    keysOf(platform, job.accountId, ofJob, etags),
  );
  const keys = new Map((await Promise.all(ofJobs)).flat());
  const regions = (job.regions ?? []).map((region, index) => {
    const prior = keys.get(index);
    const refines = request.regions?.[index]?.refines;
    return prior === undefined ? region : Object.assign({}, region, { prior }, refines && { refines });
  });
  return { ...job, regions };
}

/** Returns the keys of one job's masks that regions refine, by the regions' indexes. */
async function keysOf(
  platform: Platform,
  accountId: string,
  asked: readonly Asked[],
  etags: ReadonlyMap<string, string | undefined>,
): Promise<[index: number, key: string][]> {
  const { index: first = 0, jobId = "" } = asked[0] ?? {};
  const wanted = asked.map(({ taskId, maskIndex }) => ({ taskId, maskIndex }));
  const masks = await jobObjectOf(platform, jobId).masks(accountId, wanted);
  if (masks === null)
    throw refusal(
      "job_not_found",
      first,
      "this account has no job with its jobId. Check the id; jobs are deleted after the retention period.",
    );
  if (masks === "not_ready")
    throw refusal(
      "job_not_ready",
      first,
      "its job has not finished, or it failed. GET /v1/jobs/{jobId} tells which.",
    );
  return asked.map(({ index, taskId }, i) => {
    const mask = masks[i] ?? null;
    if (mask === null)
      throw refusal(
        "mask_not_found",
        index,
        "its job has no such mask of this picture. Take taskId and maskIndex from that job's result.",
      );
    if (mask.inputEtag !== undefined && mask.inputEtag !== etags.get(taskId))
      throw refusal(
        "mask_not_found",
        index,
        "the file that its job segmented has been replaced. Segment the picture again.",
      );
    return [index, mask.objectKey];
  });
}

const refusal = (code: ErrorCode, index: number, why: string): ServiceError =>
  new ServiceError(code, `regions[${index}] can't refine that mask: ${why}`);
