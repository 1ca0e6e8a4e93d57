import type { ArchiveDownload } from "../contract/archive.ts";
import { ServiceError } from "../core/errors.ts";
import type { ArchiveAnswer } from "../core/job/answers.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../stores/platform.ts";
import { jobObjectOf } from "./retrieve-job.ts";

const DOWNLOAD_SECONDS = 300;

async function download(platform: Platform, answer: ArchiveAnswer): Promise<ArchiveDownload> {
  if (answer === null) throw new ServiceError("job_not_found");
  if (answer === "not_downloadable") throw new ServiceError("job_not_downloadable");
  if (answer === "not_requested") throw new ServiceError("download_not_requested");
  const { view, readyKey } = answer;
  const downloadUrl = readyKey && (await platform.media.signGet(readyKey, DOWNLOAD_SECONDS));
  return { ...view, downloadUrl };
}

/** createJobDownload: starts the archive unless there is one. @throws ServiceError job_not_found, job_not_downloadable. */
export async function createJobDownload(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<ArchiveDownload> {
  return download(platform, await jobObjectOf(platform, jobId).requestArchive(account.accountId));
}

/** retrieveJobDownload. @throws ServiceError job_not_found, download_not_requested: also where there can be no archive yet. */
export async function retrieveJobDownload(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<ArchiveDownload> {
  return download(platform, await jobObjectOf(platform, jobId).archive(account.accountId));
}
