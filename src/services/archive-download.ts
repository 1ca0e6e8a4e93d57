import type { ArchiveDownload } from "../contract/archive.ts";
import { ServiceError } from "../core/errors.ts";
import type { ArchiveAnswer } from "../core/jobs/answers.ts";
import type { Platform } from "../platform.ts";

const DOWNLOAD_SECONDS = 300;

/**
 * An archive as the API shows it, with a freshly signed URL once it is ready.
 * @throws ServiceError job_not_found, job_not_downloadable, download_not_requested.
 */
export async function archiveDownload(platform: Platform, answer: ArchiveAnswer): Promise<ArchiveDownload> {
  if (answer === null) throw new ServiceError("job_not_found");
  if (answer === "not_downloadable") throw new ServiceError("job_not_downloadable");
  if (answer === "not_requested") throw new ServiceError("download_not_requested");
  const { view, readyKey } = answer;
  const downloadUrl = readyKey && (await platform.media.signGet(readyKey, DOWNLOAD_SECONDS));
  return { ...view, downloadUrl };
}
