import type { ArchiveDownload } from "../../contract/archive.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { archiveAtEnd } from "../../stores/jobs/questions.ts";
import { archiveDownload } from "../archive-download.ts";
import { jobObjectOf } from "../job-object-of.ts";

/**
 * retrieveJobDownload: at once, or with `waitSeconds` when the archive is ready or has failed, or that time has passed.
 * @throws ServiceError job_not_found, or download_not_requested: also for a job that can't have an archive yet.
 */
export async function retrieveJobDownload(
  platform: Platform,
  { accountId }: Account,
  jobId: string,
  waitSeconds: number | null,
): Promise<ArchiveDownload> {
  const object = () => jobObjectOf(platform, jobId);
  const answer = await (waitSeconds === null
    ? object().archive(accountId)
    : archiveAtEnd(object, accountId, waitSeconds * 1_000));
  return archiveDownload(platform, answer);
}
