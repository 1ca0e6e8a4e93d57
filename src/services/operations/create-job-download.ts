import type { ArchiveDownload } from "../../contract/archive.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { archiveDownload } from "../archive-download.ts";
import { jobObjectOf } from "../job-object-of.ts";

/** createJobDownload: starts the archive unless there is one. @throws ServiceError job_not_found, job_not_downloadable. */
export async function createJobDownload(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<ArchiveDownload> {
  return archiveDownload(platform, await jobObjectOf(platform, jobId).requestArchive(account.accountId));
}
