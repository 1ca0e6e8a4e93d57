import { AcceptedJob, type CreateJobRequest } from "../../contract/job.ts";
import { accessOf } from "../../core/access.ts";
import {
  accessRefusal,
  accountRefusal,
  backlogRefusal,
  ownershipRefusal,
  requestRefusal,
  trialFormatRefusal,
  uploadRefusal,
  type ProposedJob,
  type StoredUpload,
} from "../../core/admission.ts";
import type { ServiceError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { defineJob } from "../../core/job/define.ts";
import type { JobDefinition } from "../../core/job/state.ts";
import { unitsToReserve, type AccountUse } from "../../core/ledger.ts";
import { log, reasonOf } from "../../core/log.ts";
import { SNIFF_BYTES } from "../../core/media-type.ts";
import { inputKey } from "../../core/object-keys.ts";
import { mapPool } from "../../core/pool.ts";
import { trialAt } from "../../core/trial.ts";
import type { Platform } from "../../platform.ts";
import { accessLimitsOf, admissionTermsOf, trialOfferOf } from "../../settings.ts";
import type { Account } from "../../stores/accounts.ts";
import type { JobPreconditions } from "../../stores/uploads.ts";
import { admitJob, recoverJob } from "../admit-job.ts";
import { catchUp } from "../catch-up.ts";
import { once, type HoldKey, type Once } from "../idempotency.ts";

/**
 * createJob, once per Idempotency-Key if the request has one. A repetition of a request that was cut off comes with that
 * request's job id: it answers for the job if that is accepted, and creates it otherwise.
 * @throws ServiceError as the specification's 400, 402, 403, 409, 502 and 503, which leave nothing behind.
 */
export async function createJob(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
  key: string | undefined,
): Promise<Once<AcceptedJob>> {
  const { accountId } = account;
  const freshId = newId("job");
  return once(
    platform,
    { accountId, operation: "createJob", key, body: request },
    () => freshId,
    AcceptedJob,
    async (jobId, holdKey) => {
      const isAccepted = jobId !== freshId && (await recoverJob(platform, jobId, holdKey));
      const use = isAccepted
        ? await platform.ledger.use(accountId)
        : await create(platform, account, request, jobId, holdKey);
      const answer = acceptedJob(platform, account, request, jobId, use);
      return { answer, remembered: answer };
    },
  );
}

/** Asks for every reason to refuse the job, then lets it in. Gives the account's use with the job. */
async function create(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
  jobId: string,
  holdKey: HoldKey,
): Promise<AccountUse> {
  const { settings } = platform;
  const terms = admissionTermsOf(settings);
  refuse(requestRefusal(terms, request));
  const access = accessOf(account.accessMode, accessLimitsOf(settings));
  refuse(accessRefusal(terms, access));

  const job = defineJob(account, request, jobId, Date.now());
  const proposed: ProposedJob = { job, access, units: unitsToReserve(job, settings.MAX_VIDEO_FRAMES) };
  const refusalBy = (use: AccountUse) => accountRefusal(terms, proposed, use);
  const [{ uploads, use }, backlog] = await Promise.all([
    preconditions(platform, job, refusalBy),
    access.accessMode === "trial" ? trialBacklog(platform) : 0,
  ]);
  refuse(refusalBy(use));
  refuse(backlogRefusal(terms, backlog));

  refuse(ownershipRefusal(job, uploads));
  const stored = await storedUploads(platform, job, (taskId, upload) =>
    uploadRefusal(terms, job, taskId, upload),
  );
  refuse(trialFormatRefusal(terms, proposed, use, stored));
  return admitJob(platform, proposed, refusalBy, holdKey);
}

function refuse(refusal: ServiceError | null): void {
  if (refusal !== null) throw refusal;
}

/** What D1 knows before the job; read again if only the list's copy of a job, which may be behind, refuses it. */
async function preconditions(
  platform: Platform,
  { accountId, taskIds }: JobDefinition,
  refusalBy: (use: AccountUse) => ServiceError | null,
): Promise<JobPreconditions> {
  const found = await platform.uploads.preconditions(accountId, taskIds);
  const { activeJobId } = found.use;
  if (activeJobId === null || refusalBy(found.use) === null) return found;
  await catchUp(platform, activeJobId);
  return platform.uploads.preconditions(accountId, taskIds);
}

/** The trial queue's length. A queue that can't say refuses nobody: it will show whether it takes the job. */
async function trialBacklog({ queues }: Platform): Promise<number> {
  try {
    return await queues.trialBacklog();
  } catch (error) {
    log("warn", "backlog_unknown", { reason: reasonOf(error) });
    return 0;
  }
}

/** A Worker has six connections at a time; more would only wait. */
const CONNECTIONS = 6;

/** The job's uploads as the bucket has them, in the request's order. @throws the first refusal. */
async function storedUploads(
  { media }: Platform,
  { accountId, taskIds }: JobDefinition,
  refusalOf: (taskId: string, upload: StoredUpload | null) => ServiceError | null,
): Promise<StoredUpload[]> {
  return mapPool(taskIds, CONNECTIONS, async (taskId) => {
    const upload = await media.head(inputKey(accountId, taskId), SNIFF_BYTES);
    refuse(refusalOf(taskId, upload));
    if (upload === null) throw new Error(`nothing refused ${taskId}, which is not there`);
    return upload;
  });
}

/** The answer; a trial account also reads what is left of its trial. */
function acceptedJob(
  { settings }: Platform,
  account: Account,
  { type, tasks }: CreateJobRequest,
  jobId: string,
  use: AccountUse,
): AcceptedJob {
  const accepted = { jobId, type, totalItems: tasks.length };
  if (account.accessMode !== "trial") return accepted;
  const { remainingTokens, expiresAt } = trialAt(trialOfferOf(settings), use.trial, Date.now());
  if (expiresAt === null) return accepted;
  return { ...accepted, trial: { remainingTokens, expiresAt: new Date(expiresAt).toISOString() } };
}
