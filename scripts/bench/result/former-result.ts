import { AwsClient } from "aws4fetch";
import type { FinishedJob } from "../../../src/core/jobs/answers.ts";
import { assetsOf, manifestOf } from "../../../src/core/jobs/result.ts";
import type { SigningBucket } from "../../../src/core/lib/presigned-url.ts";

/** The result of a job as it was made before: aws4fetch signs each URL, and the whole answer is one object. */
export async function formerResult(
  job: FinishedJob,
  { url: root, ...credentials }: SigningBucket,
  expiresIn: number,
): Promise<object> {
  const signer = new AwsClient({ ...credentials, service: "s3", region: "auto" });
  const urls = new Map<string, string>();
  for (const asset of assetsOf(job)) {
    const url = new URL(`${root}/${asset.objectKey}`);
    url.searchParams.set("X-Amz-Expires", String(expiresIn));
    const aws = { signQuery: true, allHeaders: true };
    urls.set(asset.key, (await signer.sign(url, { method: "GET", headers: {}, aws })).url);
  }
  return {
    manifest: manifestOf(job, (key) => urls.get(key) ?? ""),
    assets: [...urls].map(([key, url]) => ({ key, url, expiresIn })),
    expiresIn,
  };
}
