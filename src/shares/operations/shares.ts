import { isoOf } from "../../shared/api/primitives.ts";
import type { CreatedShare, Share, SharedInputs, ShareList } from "../contract/share.ts";
import { generateShareToken, MOST_SHARES, shareEnd } from "../../accounts/rules/share-token.ts";
import { ServiceError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import { log } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import { studioSettingsOf } from "../../feature-settings.ts";
import type { ShareRecord } from "../store/shares.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { inDirectory } from "../../accounts/operations/api-keys.ts";
import { signedInputs } from "../../jobs/operations/inputs.ts";
import { finishedPage, tasksFrom } from "../../jobs/operations/jobs.ts";

/** A share as the API shows it. */
const shareView = ({
  jobId,
  further,
  inputs,
  showAnnotations,
  createdAt,
  expiresAt,
}: ShareRecord): Share => ({
  jobId,
  further: [...further],
  createdAt: isoOf(createdAt),
  expiresAt: isoOf(expiresAt),
  showInputs: inputs.length > 0,
  showAnnotations,
});

/** listShares: newest first. */
export async function listShares({ platform, account }: OperationRequest<"listShares">): Promise<ShareList> {
  const shares = await platform.shares.list(account.accountId, Date.now());
  return { items: shares.map(shareView) };
}

/**
 * createShare. The link's token is in this answer only; sharing a job again ends its previous link.
 * @throws ServiceError job_not_found and job_not_ready, also for a further job; invalid_request if one of these has other uploads;
 * too_many_shares.
 */
export async function createShare({
  platform,
  account: { accountId },
  jobId,
  body,
}: OperationRequest<"createShare">): Promise<CreatedShare> {
  const first = await finishedPage(platform, accountId, jobId);
  const { definition } = first;
  const further = [...new Set(body.further)].filter((other) => other !== jobId);
  const others = await mapPool(further, CONNECTIONS, (other) => furtherJob(platform, accountId, other));
  for (const { jobId: other, taskIds } of others)
    if (!taskIds.every((taskId) => definition.taskIds.includes(taskId)))
      throw new ServiceError(
        "invalid_request",
        `further: ${other} has uploads that ${jobId} does not have. Share it by itself.`,
      );
  const inputs: string[] = [];
  if (body.showInputs)
    for await (const { taskId } of tasksFrom(platform, accountId, first)) inputs.push(taskId);
  const createdAt = Date.now();
  const jobs = [definition, ...others].map((job) => job.createdAt);
  const expiresAt = shareEnd(createdAt, body.expiresIn, jobs, platform.policy.retentionMs);
  const { showAnnotations } = body;
  const share: ShareRecord = { jobId, further, inputs, showAnnotations, createdAt, expiresAt };
  const token = generateShareToken();
  const digest = await sha256Hex(token);
  // First, as with API keys: a link that the directory lacks would not work.
  await inDirectory(platform, (directory) => directory.enter(digest, accountId));
  const { isShared, before } = await platform.shares.put(accountId, share, digest, MOST_SHARES);
  const gone = isShared ? before : digest;
  if (gone !== null) await inDirectory(platform, (directory) => directory.forget([gone]));
  if (!isShared) throw new ServiceError("too_many_shares");
  log("info", "job_shared", { jobId, account: accountId, expiresAt });
  return { share: shareView(share), token, url: linkOf(platform, jobId, token) };
}

/** Returns the request of a further job that a share is to show. @throws ServiceError job_not_found, job_not_ready, naming the job. */
async function furtherJob(platform: Platform, accountId: string, jobId: string) {
  try {
    return (await finishedPage(platform, accountId, jobId)).definition;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `further: ${error.message}`);
  }
}

/** The page of the studio that shows a share; null where there is no studio. Browsers never send a fragment. */
const linkOf = ({ settings }: Platform, jobId: string, token: string): string | null =>
  studioSettingsOf(settings) === null
    ? null
    : new URL(`/studio/shared/${jobId}#${token}`, settings.PUBLIC_URL).href;

/** retrieveShare: for the account, and for the bearer of this link. @throws ServiceError share_not_found. */
export async function retrieveShare({
  platform,
  account: { accountId },
  jobId,
  linkDigest,
}: OperationRequest<"retrieveShare">): Promise<SharedInputs> {
  const share = await platform.shares.find(accountId, jobId, Date.now(), linkDigest);
  if (share === null) throw new ServiceError("share_not_found");
  const inputs = await signedInputs(platform, accountId, share.inputs);
  return { share: shareView(share), inputs };
}

/** revokeShare: the link stops working at once. @throws ServiceError share_not_found. */
export async function revokeShare({
  platform,
  account: { accountId },
  jobId,
}: OperationRequest<"revokeShare">): Promise<void> {
  const digest = await platform.shares.revoke(accountId, jobId, Date.now());
  if (digest === null) throw new ServiceError("share_not_found");
  await inDirectory(platform, (directory) => directory.forget([digest]));
  log("info", "share_revoked", { jobId, account: accountId });
}
