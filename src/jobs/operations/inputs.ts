import { ServiceError } from "../../shared/errors.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import type { JobInputs, SignedInputs } from "../contract/inputs.ts";
import type { Platform } from "../../platform.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { jobObjectOf, RESULT_SECONDS } from "./jobs.ts";

/** Signs URLs of an account's uploads. */
export async function signedInputs(
  platform: Platform,
  accountId: string,
  taskIds: readonly string[],
): Promise<SignedInputs> {
  const signer = await platform.media.signGets(RESULT_SECONDS);
  return Promise.all(
    taskIds.map(async (taskId) => {
      const key = inputKey(accountId, taskId);
      return { taskId, url: signer.url(key, await signer.signature(key)), expiresIn: RESULT_SECONDS };
    }),
  );
}

/** retrieveJobInputs: the uploads that are still kept. @throws ServiceError job_not_found. */
export async function retrieveJobInputs({
  platform,
  account: { accountId },
  jobId,
}: OperationRequest<"retrieveJobInputs">): Promise<JobInputs> {
  const job = await jobObjectOf(platform, jobId).continued(accountId);
  if (job === null) throw new ServiceError("job_not_found");
  const kept = await platform.uploads.kept(accountId, job.taskIds);
  return { inputs: await signedInputs(platform, accountId, kept) };
}
