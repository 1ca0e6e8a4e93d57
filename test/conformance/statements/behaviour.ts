import {
  BAD_FIELDS,
  BAD_VIDEO_FIELDS,
  EVERY_ANSWER,
  EXHAUSTED,
  EXPIRED,
  FAILED,
  FOREIGN_TASK,
  FOUND,
  INSUFFICIENT,
  LIMIT,
  MANY_TASKS,
  NEW_KEY,
  NEXT_USE,
  NO_DOWNLOAD,
  NO_RESULT,
  NO_VIDEO,
  PENDING,
  QUEUE_FULL,
  RESULT,
  SECOND_JOB,
  STATES,
  SUCCESS,
  absentJob,
  internalError,
  ofEveryOperation,
  unauthorized,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

const OF_A_JOB = ["retrieveJob", "retrieveJobResult", "createJobDownload", "retrieveJobDownload"];
const OF_JOBS_AND_UPLOADS = ["createUploadPresign", "listJobs", "createJob", ...OF_A_JOB];

/** Sections 3, 5, 6, 7, 8 and 9: states, authentication, polling, errors, limits, versioning. */
export const BEHAVIOUR = [
  ...section(
    "3.1",
    [
      "A job and its tasks have the same four states, and go forward only.",
      STATES,
      "unit/core/job/any-order: go only forward, and what has ended stays as it is",
    ],
    ["A job is accepted with 202 and starts as queued.", "operations/createJob/202: lists the job as queued"],
    [
      "It is processing when background processing has begun.",
      STATES,
      "jobs/delivery: is queued, also in the list, until the service took it, however often it was offered",
    ],
    ["It ends in success: its masks can be fetched.", STATES, RESULT, FOUND],
    ["It ends in failed, with error texts on the job and its tasks.", FAILED, SUCCESS],
    [
      "Every job ends.",
      "unit/core/job/any-order: all end, once the holders report: nothing is ever left without an alarm to wake it",
      "jobs/delivery: gives up after a day what the service never had room for",
      "jobs/video: can be worked on for days: its input's address and its token live on with the lease",
    ],
    ["Manifest and archive are for successful jobs.", NO_RESULT, NO_DOWNLOAD],
  ),
  ...section(
    "3.2",
    [
      "createJobDownload is pending until the archive is built; ready carries downloadUrl.",
      PENDING,
      "operations/createJobDownload/202: gives the archive that is ready",
    ],
    [
      "It is processing while it is built.",
      "operations/retrieveJobDownload/200: is built by another when its builder was cut off",
    ],
    [
      "An archive that can't be built is failed.",
      "operations/retrieveJobDownload/200: has failed, by name, when an output is gone; asked for again it is started anew",
      "operations/retrieveJobDownload/200: has failed, by name, when it would hold more files than a zip can",
      "operations/retrieveJobDownload/200: has failed, by name, when it would be larger than a zip can be, and leaves nothing in the bucket",
    ],
  ),
  ...section(
    "3.3",
    ["A new key is not revoked.", NEW_KEY],
    ["revokeApiKey sets revoked and revokedAt; the key is refused with 401 from then on.", NEXT_USE],
  ),
  ...section(
    "5",
    [
      "A credential is sent as Authorization: Bearer, and in no other way.",
      ...ofEveryOperation(unauthorized),
    ],
    [
      "It is a secret key that begins with sk_live_, obtained from createApiKey.",
      NEW_KEY,
      "unit/core/api-key: is sk_live_, 40 base62 digits and 6 of the CRC-32 of all before them",
    ],
    [
      "Or it is an access token of an identity provider.",
      "accounts/access-tokens: makes the account at the first valid token, a trial account with the token's profile",
      "accounts/access-tokens: works on every operation: it makes an API key, which then lets into the same account",
    ],
    ["A live key runs jobs, reads usage, manages keys and starts billing sessions.", EVERY_ANSWER],
    [
      "A missing, invalid, expired or revoked credential gets 401, error Unauthorized, and a message of a missing or invalid key.",
      unauthorized("createJob"),
      "operations/createJob/401: refuses a revoked key on its very next use",
      "accounts/access-tokens: beyond the clock's tolerance",
    ],
    ["Foreign task ids are refused with 403.", FOREIGN_TASK],
    [
      "Jobs are looked up among the account's own.",
      "operations/listJobs/200: never lists another account's jobs",
      ...OF_A_JOB.map(absentJob),
      "accounts/tenancy: answers for another account's as for what is not there, byte for byte: %s",
    ],
  ),
  ...section("6", [
    "Completion is observed by polling retrieveJob and retrieveJobDownload.",
    "e2e/generated-client: uploads, creates a job once, waits for it, and fetches masks and archive",
  ]),
  ...section(
    "7",
    [
      "Every error is a JSON object with error, and optional fields of the table alone.",
      "e2e/generated-client: knows the errors' shape",
      "unit/openapi: tells of each error only what its catalogue says, under its status",
      "operations/all/404-405: answers the unknown path %s with 404",
    ],
    [
      "400: an invalid request, on createUploadPresign, listJobs and createJob.",
      "operations/createUploadPresign/400: refuses %j",
      "operations/listJobs/400: refuses %s",
      BAD_FIELDS,
    ],
    ["401 on all operations.", ...ofEveryOperation(unauthorized)],
    ["402: the trial is expired, exhausted or insufficient.", EXPIRED, EXHAUSTED, INSUFFICIENT],
    ["403: a taskId of another account.", FOREIGN_TASK],
    [
      "404: the resource is not found.",
      ...OF_A_JOB.map(absentJob),
      "operations/retrieveJobDownload/404: says that no archive was requested before any POST",
    ],
    [
      "409: a conflict with the resource's state.",
      "operations/createJob/409: refuses a task that was presigned and never uploaded",
      SECOND_JOB,
      NO_RESULT,
      NO_DOWNLOAD,
    ],
    [
      "500 on all job and upload operations, and nothing told of what failed.",
      ...OF_JOBS_AND_UPLOADS.map(internalError),
    ],
    [
      "502: the job could not be enqueued.",
      "operations/createJob/502: leaves nothing behind when the queue takes no message, and a repeated call works",
    ],
    ["503: the trial's queue has no room.", QUEUE_FULL],
    [
      "remainingTokens, requestedTokens, expiresAt and upgradeUrl tell of the trial.",
      EXPIRED,
      EXHAUSTED,
      "operations/createJob/402: sends who has used up the trial to the operator's own page",
    ],
    ["activeJobId and retryAfterSeconds are further hints.", SECOND_JOB, QUEUE_FULL],
  ),
  ...section(
    "8",
    [
      "A page has 1 to 100 jobs, 25 by default.",
      "operations/listJobs/200: takes a limit of 1 to 100, and ignores what it does not know",
      "operations/listJobs/200: gives 25 where no limit is asked for",
      "operations/listJobs/400: refuses %s",
    ],
    [
      "A job has 1 to 100 task ids; exactly 1 for video.",
      MANY_TASKS,
      BAD_FIELDS,
      "operations/createJob/400: refuses 101 tasks",
      "operations/createJob/400: refuses a video job of two tasks",
    ],
    ["An unbilled account sends 1 to 3 images a job.", LIMIT],
    [
      "An unbilled account sends JPEG, PNG or WebP.",
      "operations/createJob/402: takes JPEG, PNG and WebP by their bytes, whatever they are called",
      "operations/createJob/402: trial_format_unsupported: %s is told by its bytes, not by its name",
    ],
    ["An unbilled account sends no video.", NO_VIDEO],
    ["A signed asset URL lives 60 seconds or longer.", RESULT],
    [
      "An Idempotency-Key has 1 to 128 characters.",
      "operations/createApiKey/400: refuses a request without an Idempotency-Key, or with one that is empty or longer than 128",
      "operations/createApiKey/201: takes a label of 1 and of 100 characters, of any script, and an Idempotency-Key of 128",
      "operations/createCheckout/400: refuses an Idempotency-Key that is missing, empty or longer than 128 characters",
      "operations/createBillingPortal/400: refuses an Idempotency-Key that is missing, empty or longer than 128 characters",
    ],
    [
      "threshold, maskThreshold and scoreThreshold lie between 0 and 1.",
      BAD_FIELDS,
      BAD_VIDEO_FIELDS,
      MANY_TASKS,
    ],
  ),
  ...section("9", [
    "The version is in the path's prefix /v1; the description is labelled 1.0.0.",
    "operations/all/documents: has every route under /v1, and none else",
    "unit/openapi: is labelled 1.0.0, and every path begins with its version",
  ]),
];
