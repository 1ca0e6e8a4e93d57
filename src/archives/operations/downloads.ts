import type { ArchiveDownload } from "../../jobs/contract/archive.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { ArchiveAnswer } from "../../jobs/rules/answers.ts";
import type { Platform } from "../../platform.ts";
import { archiveAtEnd } from "../../jobs/store/long-requests.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { jobObjectOf } from "../../jobs/operations/jobs.ts";

const DOWNLOAD_SECONDS = 300;

/** createJobDownload: starts the archive unless there is one. @throws ServiceError job_not_found, job_not_downloadable. */
export async function createJobDownload({
  platform,
  account,
  jobId,
}: OperationRequest<"createJobDownload">): Promise<ArchiveDownload> {
  return view(platform, await jobObjectOf(platform, jobId).requestArchive(account.accountId));
}

/**
 * retrieveJobDownload: at once, or with `waitSeconds` when the archive is ready or has failed, or that time has passed.
 * @throws ServiceError job_not_found, or download_not_requested: also for a job that can't have an archive yet.
 */
export async function retrieveJobDownload({
  platform,
  account: { accountId },
  jobId,
  waitSeconds,
}: OperationRequest<"retrieveJobDownload">): Promise<ArchiveDownload> {
  const object = () => jobObjectOf(platform, jobId);
  const answer = await (waitSeconds === null
    ? object().archive(accountId)
    : archiveAtEnd(object, accountId, waitSeconds * 1_000));
  return view(platform, answer);
}

/** An archive as the API shows it, with a freshly signed URL once it is ready. */
async function view({ media }: Platform, answer: ArchiveAnswer): Promise<ArchiveDownload> {
  if (answer === null) throw new ServiceError("job_not_found");
  if (answer === "not_downloadable") throw new ServiceError("job_not_downloadable");
  if (answer === "not_requested") throw new ServiceError("download_not_requested");
  const { view: shown, readyKey } = answer;
  return { ...shown, downloadUrl: readyKey && (await media.signGet(readyKey, DOWNLOAD_SECONDS)) };
}
