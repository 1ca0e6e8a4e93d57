import { AcceptedJob, type CreateJobRequest } from "../contract/job.ts";
import { isoOf } from "../../shared/api/primitives.ts";
import { accessOf } from "../../billing/rules/access.ts";
import {
  accessRefusal,
  accountRefusal,
  FREE_REFINEMENTS,
  laneHasRoom,
  inspectionRefusal,
  ownershipRefusal,
  requestRefusal,
  trialFormatRefusal,
  trialQueueFull,
  uploadRefusal,
  type AdmissionTerms,
  type ProposedJob,
} from "../rules/admission.ts";
import { ServiceError } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { defineJob } from "../rules/define.ts";
import type { JobDefinition } from "../rules/state.ts";
import type { AccountUse } from "../../billing/rules/ledger.ts";
import { trialAt, trialWith } from "../../billing/rules/trial.ts";
import { reusableMs, USABLE_MS } from "../../uploads/rules/lifetime.ts";
import type { Platform } from "../../platform.ts";
import { accessLimitsOf, admissionTermsOf, trialOfferOf } from "../../feature-settings.ts";
import type { Account } from "../../accounts/store/accounts.ts";
import { ask, together, type Query } from "../../shared/storage/d1-store.ts";
import type { JobPreconditions } from "../../uploads/store/job-uploads.ts";
import { admitJob, recoverJob } from "./admit-job.ts";
import { catchUp } from "../../accounts/operations/catch-up.ts";
import {
  type ClaimedRun,
  claimOf,
  runClaimed,
  type HeldKey,
  type Once,
  type RepeatableRequest,
} from "../../shared/api/idempotency.ts";
import { UploadInspection } from "./inspect-for-job.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { withRefinedMasks } from "./refined-masks.ts";
import { jobObjectOf } from "./jobs.ts";
import { unitsToReserve } from "../rules/cost.ts";

/**
 * createJob, once per Idempotency-Key if the request has one. A repetition of an interrupted request reuses its job id: it
 * answers with the job if that was accepted, and creates it otherwise.
 * @throws ServiceError as the specification's 400, 402, 403, 404, 409, 502 and 503, which leave nothing behind.
 */
export async function createJob({
  platform,
  account,
  preflight,
  body: request,
  idempotencyKey: key,
}: OperationRequest<"createJob">): Promise<Once<AcceptedJob>> {
  const { accountId } = account;
  const freshId = newId("job");
  const claim = await claimOf({ accountId, operation: "createJob", key, body: request }, freshId);
  const query = preconditions(platform, account, request.tasks, Date.now());
  if (claim === null) {
    const found = await ask(preflight, query);
    const answer = await create(platform, account, request, freshId, found, NO_KEY);
    return { answer, replayed: false };
  }
  const claiming = platform.idempotency.claim(claim, Date.now());
  const [known, found] = await ask(preflight, together(claiming, query));
  return runClaimed(
    platform,
    claim,
    known,
    AcceptedJob,
    claimedRun(platform, account, itemsOf(request), freshId, (jobId, held) =>
      create(platform, account, request, jobId, found, held),
    ),
  );
}

/**
 * Creates a job once per key, like createJob, for a request that stores the job's uploads itself.
 * @param name the request's operation, key and body, by which a repetition is recognized
 * @param store stores the uploads and returns the job's request; not called for a repetition
 * @throws ServiceError as createJob and `store`.
 */
export async function createJobOnce(
  platform: Platform,
  account: Account,
  name: Omit<RepeatableRequest, "accountId">,
  items: Items,
  store: () => Promise<CreateJobRequest>,
): Promise<Once<AcceptedJob>> {
  const { accountId } = account;
  const { open } = platform.accounts;
  const freshId = newId("job");
  const claim = await claimOf({ accountId, ...name }, freshId);
  const createAs = async (jobId: string, held: HeldKey<AcceptedJob>) => {
    const request = await store();
    // It may have taken longer than the lease.
    await held.hold();
    const found = await ask(open, preconditions(platform, account, request.tasks, Date.now()));
    return create(platform, account, request, jobId, found, held);
  };
  if (claim === null) return { answer: await createAs(freshId, NO_KEY), replayed: false };
  const known = await ask(open, platform.idempotency.claim(claim, Date.now()));
  const run = claimedRun(platform, account, items, freshId, createAs);
  return runClaimed(platform, claim, known, AcceptedJob, run);
}

/** The type of a job, and the number of its tasks. */
type Items = Pick<AcceptedJob, "type" | "totalItems">;

const itemsOf = ({ type, tasks }: CreateJobRequest): Items => ({ type, totalItems: tasks.length });

/** Returns the steps for a claimed key: a run under the id of an interrupted one first looks for its job. */
function claimedRun(
  platform: Platform,
  account: Account,
  items: Items,
  freshId: string,
  createAs: (jobId: string, held: HeldKey<AcceptedJob>) => Promise<AcceptedJob>,
): ClaimedRun<AcceptedJob> {
  const { accountId } = account;
  const stands = (jobId: string, { hold }: HeldKey<AcceptedJob>) =>
    recoverJob(platform, { accountId, jobId }, hold);
  return {
    stands,
    run: async (jobId, held) => {
      const isAccepted = jobId !== freshId && (await stands(jobId, held));
      const answer = isAccepted
        ? acceptedJob(platform, account, items, jobId, await platform.ledger.use(accountId))
        : await createAs(jobId, held);
      return { answer, remembered: answer };
    },
  };
}

const NO_KEY: HeldKey<AcceptedJob> = {
  hold: () => Promise.resolve(),
  remember: () => Promise.resolve([]),
};

/** Checks every reason to refuse the job, then admits it. Returns its answer. */
async function create(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
  jobId: string,
  found: JobPreconditions,
  { hold, remember }: HeldKey<AcceptedJob>,
): Promise<AcceptedJob> {
  const { settings } = platform;
  const terms = admissionTermsOf(settings);
  refuse(requestRefusal(terms, request));
  const access = accessOf(account, accessLimitsOf(settings));
  refuse(accessRefusal(terms, access));

  const hasFreeRefinements = found.uploads.every(({ refined }) => refined < FREE_REFINEMENTS);
  const job = defineJob(account, request, jobId, Date.now(), hasFreeRefinements);
  const proposed: ProposedJob = { job, access, units: unitsToReserve(job, settings.MAX_VIDEO_FRAMES) };
  const refusalBy = (use: AccountUse) => accountRefusal(terms, proposed, use);
  const [{ uploads, use, openTrialTasks: openHere }, openElsewhere] = await Promise.all([
    caughtUp(platform, account, job, found, refusalBy),
    access.accessMode === "trial" ? platform.trialLane.openElsewhere() : 0,
  ]);
  refuse(refusalBy(use));
  refuse(await laneRefusal(platform, terms, proposed, openHere + openElsewhere));

  refuse(ownershipRefusal(job, uploads));
  const inspections = new UploadInspection(platform, job, uploads);
  if (inspections.needed > 0) refuse(inspectionRefusal(proposed, use));
  try {
    const stored = await inspections.make((taskId, upload) => uploadRefusal(terms, job, taskId, upload));
    refuse(trialFormatRefusal(terms, proposed, use, stored));
    const refining = await withRefinedMasks(
      platform,
      await continuing(platform, job, request),
      request,
      stored,
    );
    const pinned = { ...proposed, stored, job: { ...refining, inputEtags: stored.map(({ etag }) => etag) } };
    const items = itemsOf(request);
    const answerBy = (after: AccountUse) => acceptedJob(platform, account, items, jobId, after);
    // Another job accepted meanwhile changes the answer for a trial account; then it is remembered once more.
    const expected = answerBy({ ...use, trial: trialWith(use.trial, proposed.units, job.createdAt) });
    const listed = await admitJob(
      platform,
      pinned,
      async (listing) =>
        refusalBy(listing.use) ??
        (await laneRefusal(platform, terms, proposed, listing.openTrialTasks)) ??
        (listing.lacksUpload ? new ServiceError("task_not_owned") : null),
      hold,
      [platform.accounts.unchanged(account), ...(await remember(expected))],
    );
    return answerBy(listed);
  } catch (error) {
    await inspections.noteRefused();
    throw error;
  }
}

/** Returns the job with the first job of its uploads, to which it adds. @throws ServiceError job_not_found, task_not_continued */
async function continuing(
  platform: Platform,
  job: JobDefinition,
  { continues }: CreateJobRequest,
): Promise<JobDefinition> {
  if (continues === undefined) return job;
  const continued = await jobObjectOf(platform, continues).continued(job.accountId);
  if (continued === null) throw new ServiceError("job_not_found");
  if (!job.taskIds.every((taskId) => continued.taskIds.includes(taskId)))
    throw new ServiceError("task_not_continued");
  return { ...job, continues: continued.firstJobId };
}

function refuse(refusal: ServiceError | null): void {
  if (refusal !== null) throw refusal;
}

/** Returns D1's data for the decision about the job. */
const preconditions = (
  { uploads, policy }: Platform,
  { accountId, accessMode }: Account,
  taskIds: readonly string[],
  now: number,
): Query<JobPreconditions> =>
  uploads.preconditions(
    accountId,
    taskIds,
    { unused: now - USABLE_MS, used: now - reusableMs(policy) },
    accessMode === "trial",
  );

/** Returns the preconditions again, if only the list's lagging copy of a job blocks the new job. */
async function caughtUp(
  platform: Platform,
  account: Account,
  { taskIds, createdAt }: JobDefinition,
  found: JobPreconditions,
  refusalBy: (use: AccountUse) => ServiceError | null,
): Promise<JobPreconditions> {
  const { activeJobId } = found.use;
  if (activeJobId === null || refusalBy(found.use) === null) return found;
  await catchUp(platform, activeJobId);
  return ask(platform.accounts.open, preconditions(platform, account, taskIds, createdAt));
}

/** Period over which the trial lane's pace is measured. */
const PACE_MS = 5 * 60_000;

/** Refuses a job that does not fit into the trial lane. Reads the pace only then. */
async function laneRefusal(
  { trialLane }: Platform,
  terms: AdmissionTerms,
  proposed: ProposedJob,
  openTrialTasks: number,
): Promise<ServiceError | null> {
  if (laneHasRoom(terms, proposed, openTrialTasks)) return null;
  const now = Date.now();
  return trialQueueFull(terms, proposed, openTrialTasks, await trialLane.pace(now - PACE_MS, now));
}

/** Returns the answer; for a trial account with the rest of its trial. */
function acceptedJob(
  { settings }: Platform,
  account: Account,
  { type, totalItems }: Items,
  jobId: string,
  use: AccountUse,
): AcceptedJob {
  const accepted = { jobId, type, totalItems };
  if (account.accessMode !== "trial") return accepted;
  const { remainingTokens, expiresAt } = trialAt(trialOfferOf(settings), use.trial, Date.now());
  if (expiresAt === null) return accepted;
  return { ...accepted, trial: { remainingTokens, expiresAt: isoOf(expiresAt) } };
}
