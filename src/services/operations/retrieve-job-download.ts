import type { ArchiveDownload } from "../../contract/archive.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts.ts";
import { archiveDownload } from "../archive-download.ts";
import { jobObjectOf } from "../job-object-of.ts";

/**
 * retrieveJobDownload.
 * @throws ServiceError job_not_found, or download_not_requested: also for a job that can't have an archive yet.
 */
export async function retrieveJobDownload(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<ArchiveDownload> {
  return archiveDownload(platform, await jobObjectOf(platform, jobId).archive(account.accountId));
}
