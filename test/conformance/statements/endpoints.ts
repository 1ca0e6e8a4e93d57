import {
  BAD_FIELDS,
  BAD_VIDEO_FIELDS,
  EVERY_ANSWER,
  EXHAUSTED,
  EXPIRED,
  FOREIGN_TASK,
  GOOD_VIDEOS,
  INSUFFICIENT,
  MANY_TASKS,
  NEW_KEY,
  NEW_TRIAL,
  NEXT_USE,
  NO_DOWNLOAD,
  NO_RESULT,
  PENDING,
  PREVIEW,
  QUEUE_FULL,
  READY,
  RESULT,
  SECOND_JOB,
  STATES,
  THRESHOLDS,
  UPLOAD,
  VIDEO_PREVIEW,
  VIDEO_TASK,
  ABSENT_JOB,
  INTERNAL_ERROR,
  UNAUTHORIZED,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

/** The errors that the operations on uploads and jobs have alike, and those on one job. */
const COMMON = [
  ["401: no valid credential.", UNAUTHORIZED],
  ["500: an internal error.", INTERNAL_ERROR],
] as const;
const OF_ONE_JOB = [...COMMON, ["404: no such job in this account.", ABSENT_JOB]] as const;

/** Section 4: the operations. */
export const ENDPOINTS = [
  ...section("4", [
    "Fourteen operations, each by its method and path, with its success status.",
    "every-operation/documents: has every route under /v1, and none else",
    "unit/openapi: has the specification's statuses of each operation",
    EVERY_ANSWER,
  ]),
  ...section(
    "4.1",
    [
      "contentType is image/…, video/… or application/octet-stream; anything else gives 400.",
      "operations/createUploadPresign: gives %s the extension %s",
      "unit/core/uploads/media-type: give every content type that may be uploaded an extension that makes a taskId",
      "operations/createUploadPresign: refuses %j",
    ],
    ["200 with the upload.", UPLOAD],
    [
      "The client PUTs the bytes with the same Content-Type and passes the taskId to createJob.",
      "e2e/picture: refuses a PUT with another Content-Type, none, or another key than was signed",
      "e2e/generated-client: uploads, creates a job once, waits for it, and fetches masks and archive",
    ],
    ...COMMON,
  ),
  ...section(
    "4.2",
    [
      "limit is an integer of 1 to 100, 25 by default.",
      "operations/listJobs: takes a limit of 1 to 100, and ignores what it does not know",
      "operations/listJobs: gives 25 where no limit is asked for",
      "operations/listJobs: refuses %s",
    ],
    [
      "nextToken goes on to the next page.",
      "operations/listJobs: lists the newest first, a page at a time, every job once",
      "operations/listJobs: keeps its place when newer jobs come in between two pages",
    ],
    [
      "jobId gives the job if it belongs to the account.",
      "operations/listJobs: filters by jobId, mode and status",
      "operations/listJobs: never lists another account's jobs",
    ],
    ["mode and status choose among the jobs.", "operations/listJobs: filters by jobId, mode and status"],
    [
      "200 with items and nextToken, which is null on the last page.",
      "operations/listJobs: answers with items and nextToken, both empty at first",
    ],
    [
      "400: a value out of range, a forged cursor.",
      "operations/listJobs: refuses %s",
      "operations/listJobs: refuses a cursor that is forged, of another account, or of another list",
    ],
    ...COMMON,
  ),
  ...section(
    "4.3",
    ["The body's variant is chosen by type, image or video.", BAD_FIELDS, MANY_TASKS, GOOD_VIDEOS],
    ["Image: prompts, at least one, each of at least 1 character.", BAD_FIELDS],
    [
      "Image: tasks, 1 to 100, each in the format of taskIds.",
      MANY_TASKS,
      "operations/createJob/request: refuses 101 tasks",
      BAD_FIELDS,
    ],
    ["Image: with generatePreview the result has a composited preview.", THRESHOLDS, PREVIEW, BAD_FIELDS],
    [
      "Image: threshold of 0 to 1, 0.5 by default, leaves out what has less confidence.",
      THRESHOLDS,
      "inference/service/tasks: objects below the threshold are left out",
      "inference/models/photographs: keeps no instance below the request's threshold",
      BAD_FIELDS,
    ],
    [
      "Image: maskThreshold of 0 to 1, 0.5 by default, tells a mask's pixels.",
      THRESHOLDS,
      "inference/masks/runs: a mask threshold of 0 sets every pixel and one of 1 sets none",
      BAD_FIELDS,
    ],
    ["Video: prompts, at least one, each of at least 1 character.", BAD_VIDEO_FIELDS],
    [
      "Video: exactly one taskId.",
      GOOD_VIDEOS,
      "operations/createJob/request: refuses a video job of two tasks",
      BAD_VIDEO_FIELDS,
    ],
    [
      "Video: generatePreview is a boolean; with it the result has a baked preview video.",
      VIDEO_TASK,
      "inference/service/video: a clip's masks and preview are stored and reported",
      VIDEO_PREVIEW,
      BAD_VIDEO_FIELDS,
    ],
    [
      "Video: objects below scoreThreshold are left out.",
      "inference/service/video: objects below the scoreThreshold are left out",
    ],
    [
      "Video: fps is frames a second, numFrames their number, maxFrames their upper bound.",
      "inference/service/video: sampling %o of a clip with 60 frames processes %i",
      "inference/video/sampling: takes the first frame of each slot, which may begin a millisecond late",
      "inference/video/sampling: gives exactly as many, or all of a clip that has fewer; with maxFrames the smaller number",
    ],
    ["Video: scoreThreshold of 0 to 1, 0 by default.", VIDEO_TASK, GOOD_VIDEOS, BAD_VIDEO_FIELDS],
    [
      "Video: fps is greater than 0, numFrames and maxFrames are integers from 1.",
      VIDEO_TASK,
      GOOD_VIDEOS,
      BAD_VIDEO_FIELDS,
    ],
    [
      "Video: fps and numFrames exclude each other.",
      BAD_VIDEO_FIELDS,
      "unit/openapi: says that fps and numFrames exclude each other, and that a field of the other variant is refused",
    ],
    [
      "A field of the other type gives 400.",
      BAD_FIELDS,
      BAD_VIDEO_FIELDS,
      "every-operation/bodies: says what is wrong, field by field",
    ],
    ["Every task belongs to the account; otherwise 403.", FOREIGN_TASK],
    [
      "202 with the accepted job.",
      "operations/createJob/accepted: answers with jobId, type and totalItems, and nothing else",
    ],
    ["402: trial expired, exhausted or insufficient.", EXPIRED, EXHAUSTED, INSUFFICIENT],
    [
      "409: a conflict with the account's or an upload's state.",
      "operations/createJob/conflict: refuses a task that was presigned and never uploaded",
      SECOND_JOB,
    ],
    [
      "502: the job could not be enqueued.",
      "operations/createJob/failure: leaves nothing behind when the queue takes no message, and a repeated call works",
    ],
    ["503: the trial's queue is full, with an integer Retry-After.", QUEUE_FULL],
    ...COMMON,
  ),
  ...section("4.4", ["200 with the status, never with masks.", STATES], ...OF_ONE_JOB),
  ...section(
    "4.5",
    [
      "200 with short-lived signed URLs for owned assets.",
      RESULT,
      "every-operation/tenancy: get signed addresses of their own files alone",
    ],
    ["409: the job has no result.", NO_RESULT],
    ...OF_ONE_JOB,
  ),
  ...section(
    "4.6",
    [
      "202: an archive is started or reused, pending until it is built.",
      PENDING,
      "operations/createJobDownload: starts one archive, however often it is asked for",
      "operations/createJobDownload: gives the archive that is ready",
    ],
    ["409: the job is not success.", NO_DOWNLOAD],
    ...OF_ONE_JOB,
  ),
  ...section(
    "4.7",
    [
      "200 with the archive that the POST started.",
      READY,
      "operations/retrieveJobDownload: is built by another when its builder was cut off",
    ],
    [
      "409: a conflict with the job's state; there is none, for what was not requested is 404.",
      "operations/retrieveJobDownload: meets no conflict: of a job that is not success no archive was requested, which is 404",
    ],
    ...OF_ONE_JOB,
  ),
  ...section(
    "4.8",
    [
      "GET /v1/account: 200 with the account.",
      "operations/getAccount: answers with the account of the credential, each field present",
    ],
    ["GET /v1/account: 401.", UNAUTHORIZED],
    ["GET /v1/account/overview: 200 with the overview.", NEW_TRIAL],
    ["GET /v1/account/overview: 401.", UNAUTHORIZED],
  ),
  ...section(
    "4.9",
    [
      "listApiKeys: 200 with items.",
      "operations/listApiKeys: lists what may be shown of each key, newest first, revoked ones too",
      "operations/listApiKeys: never lists another account's keys",
    ],
    ["listApiKeys: 401.", UNAUTHORIZED],
    [
      "createApiKey: Idempotency-Key of 1 to 128 characters is required.",
      "operations/createApiKey: refuses a request without an Idempotency-Key, or with one that is empty or longer than 128",
      "operations/createApiKey: takes a label of 1 and of 100 characters, of any script, and an Idempotency-Key of 128",
    ],
    [
      "createApiKey: the body has a label.",
      "operations/createApiKey: refuses %s, and the Idempotency-Key stays free",
    ],
    [
      "createApiKey: 201, the secret once.",
      NEW_KEY,
      "operations/createApiKey: answers a repetition with the same key, without the secret",
    ],
    ["createApiKey: 401.", UNAUTHORIZED],
    ["revokeApiKey: 200 with apiKey.", NEXT_USE],
    ["revokeApiKey: 401.", UNAUTHORIZED],
  ),
  ...section(
    "4.10",
    [
      "createCheckout: Idempotency-Key of 1 to 128 characters is required.",
      "operations/billing-sessions: refuses an Idempotency-Key that is missing, empty or longer than 128 characters",
    ],
    ["createCheckout: no body.", "operations/createCheckout: ignores a body, whatever it is"],
    [
      "createCheckout: 201 with a url.",
      "operations/createCheckout: answers with the URL of a page where the account subscribes to the metered price",
    ],
    ["createCheckout: 401.", UNAUTHORIZED],
    [
      "createBillingPortal: Idempotency-Key of 1 to 128 characters is required.",
      "operations/billing-sessions: refuses an Idempotency-Key that is missing, empty or longer than 128 characters",
    ],
    [
      "createBillingPortal: 201 with a url, without a body.",
      "operations/createBillingPortal: answers with the URL of a page where the account manages its subscription",
    ],
    ["createBillingPortal: 401.", UNAUTHORIZED],
  ),
];
