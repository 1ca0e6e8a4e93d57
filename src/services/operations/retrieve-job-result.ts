import type { JobResult } from "../../contract/result.ts";
import { ServiceError } from "../../core/errors.ts";
import { assetsOf, manifestOf } from "../../core/manifest.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts.ts";
import { jobObjectOf } from "../job-object-of.ts";

const RESULT_SECONDS = 900;

/** retrieveJobResult: the manifest with a signed URL for each output. @throws ServiceError job_not_found, job_not_ready. */
export async function retrieveJobResult(
  platform: Platform,
  account: Account,
  jobId: string,
): Promise<JobResult> {
  const job = await jobObjectOf(platform, jobId).result(account.accountId);
  if (job === null) throw new ServiceError("job_not_found");
  if (job === "not_ready") throw new ServiceError("job_not_ready");

  const urls = new Map<string, string>();
  for (const asset of assetsOf(job)) {
    urls.set(asset.key, await platform.media.signGet(asset.objectKey, RESULT_SECONDS));
  }
  const urlOf = (key: string): string => {
    const url = urls.get(key);
    if (url === undefined) throw new Error(`the manifest names ${key}, which is not among the assets`);
    return url;
  };
  return {
    manifest: manifestOf(job, urlOf),
    assets: [...urls].map(([key, url]) => ({ key, url, expiresIn: RESULT_SECONDS })),
    expiresIn: RESULT_SECONDS,
  };
}
