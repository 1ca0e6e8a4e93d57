import {
  EVERY_ANSWER,
  FOUND,
  GOOD_VIDEOS,
  NEW_KEY,
  NEW_TRIAL,
  PAID,
  PENDING,
  PREVIEW,
  READY,
  RESULT,
  STATES,
  SUCCESS,
  UPLOAD,
  VIDEO_RESULT,
  VIDEO_TASK,
  VIDEO_ZIP,
  ZIP,
  UNAUTHORIZED,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

/** Sections 1 and 2: what the service does, its resources and their fields. */
export const RESOURCES = [
  ...section(
    "1",
    [
      "Bodies are JSON.",
      "every-operation/bodies: refuses any other Content-Type, and any other charset",
      "every-operation/bodies: takes JSON however its Content-Type is spelt, and reads the body",
      EVERY_ANSWER,
    ],
    [
      "It segments images from text prompts and gives masks.",
      FOUND,
      "inference/service/embedded-model: a photograph goes from the posted task to stored masks and a preview",
    ],
    ["It takes video jobs, and hands them to the inference service.", GOOD_VIDEOS, VIDEO_TASK],
    [
      "Upload, segment, download: presign and PUT, create a job, poll, fetch the manifest or a zip.",
      "e2e/generated-client: uploads, creates a job once, waits for it, and fetches masks and archive",
    ],
    [
      "Jobs run asynchronously; a job's status never has masks.",
      "operations/createJob/accepted: lists the job as queued",
      STATES,
    ],
    ["Every request needs authentication.", UNAUTHORIZED],
    [
      "Unbilled accounts have a restricted free trial; paid accounts have full access.",
      NEW_TRIAL,
      PAID,
      "e2e/account-walk: is refused a fourth picture and a video on the trial, with 402",
      "e2e/account-walk: pays at the checkout and is let in by the webhook",
      "e2e/account-walk: has a batch of four processed, and its use metered exactly once",
    ],
    [
      "Account, usage and billing overview, API keys, checkout and portal sessions are served.",
      "e2e/generated-client: reads the account, makes a key, uses it and revokes it",
      "e2e/generated-client: opens a checkout and the billing portal",
    ],
  ),
  ...section(
    "2.1",
    ["An upload has uploadUrl, taskId, bucket and expiresIn, and nothing else.", UPLOAD],
    [
      "A taskId is a lowercase UUID, a dot and a file extension of [a-z0-9][a-z0-9.-]{0,63}.",
      UPLOAD,
      "unit/core/uploads/media-type: give every content type that may be uploaded an extension that makes a taskId",
    ],
    [
      "The upload URL takes a PUT, and is short-lived.",
      UPLOAD,
      "e2e/picture: refuses a PUT with another Content-Type, none, or another key than was signed",
      "e2e/picture: refuses a signed URL that was changed",
    ],
  ),
  ...section(
    "2.2",
    [
      "A job summary has jobId, type, processingMode, totalItems, status, createdAt, updatedAt and error, and nothing else.",
      "operations/listJobs: lists the newest first, a page at a time, every job once",
    ],
    [
      "type, processingMode and status have the values of the table; error is a string or null.",
      "operations/listJobs: filters by jobId, mode and status",
    ],
    [
      "A summary says what the job's status says.",
      "jobs/delivery: is in the list as it is, also when every push failed at first",
      "jobs/delivery: never lets an older push overwrite a newer one",
    ],
  ),
  ...section(
    "2.3",
    [
      "A job's status has jobId, type, processingMode, status, totalItems, createdAt, updatedAt, error and tasks, and nothing else.",
      STATES,
    ],
    [
      "Each of its tasks has taskId, status and error.",
      "operations/createJob/accepted: lists the job as queued",
      SUCCESS,
    ],
    [
      "processingMode is single for one image, batch for several, video for a video.",
      "operations/createJob/accepted: lists the job as queued",
      SUCCESS,
      GOOD_VIDEOS,
    ],
  ),
  ...section(
    "2.4",
    [
      "An accepted job has jobId, type and totalItems, and nothing else.",
      "operations/createJob/accepted: answers with jobId, type and totalItems, and nothing else",
      GOOD_VIDEOS,
    ],
    [
      "For a trial account it has trial: remainingTokens and expiresAt.",
      "operations/createJob/accepted: tells a trial account what is left with this job, and until when",
    ],
  ),
  ...section(
    "2.5",
    ["The image manifest has jobId, type, prompts and items.", RESULT],
    [
      "An item has taskId, inputId, units, generatedAt and masks, each with maskIndex, confidence and url.",
      RESULT,
    ],
    ["An item has a previewUrl where a preview was asked for.", RESULT, PREVIEW],
    ["The manifest is discriminated by type, image or video.", RESULT, VIDEO_RESULT],
    ["Each asset has its job-relative key, a signed url, and expiresIn of 60 or more.", RESULT],
  ),
  ...section(
    "2.6",
    [
      "An archive download has jobId, status, expiresAt, downloadUrl, retryAfterSeconds and error, and nothing else.",
      PENDING,
    ],
    ["Only when it is ready it has a downloadUrl, a short-lived presigned zip.", PENDING, READY, FOUND],
    [
      "The zip has output_manifest.json and the mask artifacts.",
      ZIP,
      VIDEO_ZIP,
      "unit/archive-readers: is read whole by %s",
      "unit/strict-zip: never gives other files than are in it, whichever bit is flipped",
    ],
  ),
  ...section(
    "2.7",
    [
      "An API key has keyId, label, prefix, revoked, revokedAt, createdAt and updatedAt, and nothing else.",
      NEW_KEY,
    ],
    [
      "Creating one answers with apiKey, secret and secretUnavailable; the secret is shown once.",
      NEW_KEY,
      "operations/createApiKey: answers a repetition with the same key, without the secret",
      "operations/listApiKeys: never shows a secret or its digest",
    ],
  ),
  ...section("2.8", [
    "An account has accountId, email, emailVerified, image, name and status.",
    "operations/getAccount: answers with the account of the credential, each field present",
    "operations/getAccount: shows what is known of its person",
  ]),
  ...section("2.9", ["The overview has access with mode and reason, and trial with status.", NEW_TRIAL]),
  ...section("2.10", [
    "A billing session is a url.",
    "operations/createCheckout: answers with the URL of a page where the account subscribes to the metered price",
    "operations/createBillingPortal: answers with the URL of a page where the account manages its subscription",
  ]),
  ...section("2.11", [
    "Every error is the object of section 7.",
    "e2e/generated-client: knows the errors' shape",
    "unit/openapi: tells of each error only what its catalogue says, under its status",
  ]),
];
