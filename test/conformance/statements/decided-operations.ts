import {
  ABSENT_JOB,
  BAD_FIELDS,
  BAD_VIDEO_FIELDS,
  BLOCKED,
  EXHAUSTED,
  EXPIRED,
  FOREIGN_TASK,
  LIMIT,
  MANY_TASKS,
  NEW_TRIAL,
  NEXT_USE,
  NO_VIDEO,
  PAID,
  QUEUE_FULL,
  SECOND_JOB,
  SUBSCRIPTIONS,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

/** What the specification leaves open of the operations (section 4), as this service decides it. */
export const DECIDED_OPERATIONS = [
  ...section(
    "4.1",
    [
      "An account uploads 1 GB a day in the trial and 500 GB when it pays, settings, over which it gets 409 too_many_uploads.",
      "accounts/upload-inspection: an account (%s) cannot upload more of them than it may",
      "accounts/upload-inspection: are those of the last day: a day later the account may upload again",
    ],
    [
      "An upload larger than any job takes is deleted when it is seen.",
      "accounts/upload-inspection: deletes an upload (%s) of more than %i bytes at once, and no smaller one",
      "accounts/upload-inspection: deletes it, and counts its bytes: nobody hides it from the inspection by asking for a job",
    ],
    [
      "An account has 100 unused uploads in the trial and 10,000 when it pays, settings, over which it gets 409 too_many_uploads.",
      "operations/createUploadPresign: an account (%s) cannot have more than %i unused uploads",
      "operations/createUploadPresign: a paid account cannot have more unused uploads than its own setting says",
      "operations/createUploadPresign: lets exactly as many of many requests at once through as fit",
      "accounts/budgets: let in exactly the uploads that the rule lets in, however the account stands",
    ],
  ),
  ...section(
    "4.2",
    [
      "The list is newest first, by keyset.",
      "operations/listJobs: lists the newest first, a page at a time, every job once",
      "operations/listJobs: keeps its place when newer jobs come in between two pages",
    ],
    [
      "A cursor is bound to its account and filters: a forged or foreign one gives 400.",
      "operations/listJobs: refuses a cursor that is forged, of another account, or of another list",
    ],
  ),
  ...section(
    "4.3",
    ["Unknown fields give 400 in createJob.", BAD_FIELDS, BAD_VIDEO_FIELDS],
    [
      "Unknown fields are ignored elsewhere.",
      "operations/createUploadPresign: ignores unknown fields",
      "operations/createApiKey: answers a repetition with the same key, without the secret",
      "operations/listJobs: takes a limit of 1 to 100, and ignores what it does not know",
    ],
    [
      "A taskId listed twice gives 400.",
      "operations/createJob/request: refuses a taskId that is listed twice",
    ],
    [
      "A task of the other kind gives 400 task_type_mismatch.",
      "operations/createJob/request: refuses a video by its content type, whether or not it was uploaded",
      "operations/createJob/request: refuses a video by its bytes, sent as %s",
      "operations/createJob/request: refuses a picture in a video job, by its content type and by its bytes",
      "operations/createJob/request: refuses a picture in a video job that is in the container of MP4: %s",
    ],
    [
      ".bin fits either type, its bytes decide.",
      "operations/createJob/accepted: takes %s that was sent as application/octet-stream, for its bytes decide",
      "operations/createJob/request: refuses a video by its bytes, sent as %s",
    ],
    [
      "Of numFrames or fps with maxFrames the smaller number of frames is reserved.",
      "jobs/ledger: reserves the most frames that a video %j can have, and releases all of one that failed",
    ],
    ["The same upload may be used by a later job.", MANY_TASKS],
    [
      "What replaces an upload after the job's acceptance is not processed: the task fails as input_changed, uncharged.",
      "jobs/pinned-input: stays pinned however often it is overwritten and the task is tried: the first ETag goes with each attempt",
      "jobs/pinned-input: that was changed fails its task for good, and nothing is charged",
      "e2e/picture: does not process what was uploaded in an input's place after the job's acceptance",
    ],
    [
      "A task that was presigned and never uploaded gives 409 upload_incomplete.",
      "operations/createJob/conflict: refuses a task that was presigned and never uploaded",
    ],
    [
      "Unknown and foreign taskIds give the same 403; a foreign job is the same 404 as a missing one.",
      FOREIGN_TASK,
      ABSENT_JOB,
      "every-operation/tenancy: answers for another account's as for what is not there, byte for byte: %s",
    ],
    [
      "402, 502 and 503 leave nothing behind: no job, no reserved token.",
      LIMIT,
      "operations/createJob/failure: leaves nothing behind when the queue takes no message, and a repeated call works",
      "operations/createJob/failure: leaves a trial account its tokens and its trial unbegun, and a repeated call begins it",
      "operations/createJob/failure: clears up later what it could not clear up at once: its object, which never runs it",
      "operations/createJob/failure: stops a job that has begun although its object's answer was lost, and charges nothing for it",
      QUEUE_FULL,
    ],
    [
      "The trial has 100 tokens, and 14 days from the first accepted job.",
      NEW_TRIAL,
      EXPIRED,
      "operations/createJob/trial: is not expired a minute before",
      "unit/core/billing/trial: is eligible until its first job, and then ends at the stroke of its time, tokens or not",
    ],
    [
      "The trial takes 1 to 3 images a job, of formats told by the bytes, not the name, and no video.",
      LIMIT,
      "operations/createJob/trial: trial_format_unsupported: %s is told by its bytes, not by its name",
      "operations/createJob/trial: takes JPEG, PNG and WebP by their bytes, whatever they are called",
      NO_VIDEO,
    ],
    [
      "The trial requires a verified e-mail address, unless the operator asks for none: 402 email_unverified.",
      "operations/createJob/trial: email_unverified: the free trial is for verified e-mail addresses; nothing is left behind",
      "operations/createJob/trial: takes an unverified e-mail address where the operator asks for no other, and of an account that pays",
      "accounts/access-tokens: of a person whose address is not verified creates a job as soon as a later token verifies it",
    ],
    [
      "One active job at a time in the trial: 409 with activeJobId.",
      SECOND_JOB,
      "operations/createJob/conflict: lets exactly one of many concurrent jobs of a trial account through",
    ],
    [
      "A token is one processed image, reserved at acceptance and returned for tasks that fail.",
      "jobs/ledger: reserves a job's images at its acceptance, and neither settles nor releases anything before its end",
      "jobs/ledger: settles all of a job that succeeded",
      "jobs/ledger: releases the failed tasks of a batch",
      "jobs/ledger: releases all of a job that failed, whose acceptance began the trial all the same",
      "jobs/ledger-sums: agrees with a model of it, and its sums always hold, also where its books are closed and that is cut off",
    ],
    [
      "No more tokens are spent than there are, however many jobs come at once.",
      "jobs/ledger: lets exactly as many in as tokens are left, however many come",
      "jobs/ledger: lets batches in as long as they fit",
    ],
    ["402 bodies carry remainingTokens, requestedTokens, expiresAt and upgradeUrl.", EXPIRED, EXHAUSTED],
    [
      "A paid account has 100 images a job and 1,000 active jobs, a setting, over which it gets 409.",
      PAID,
      "operations/createJob/conflict: refuses a paid account more jobs under way than the setting allows, until one of them has ended",
      "operations/createJob/conflict: lets exactly as many concurrent jobs of a paid account through as the setting says",
    ],
    [
      "A paid account has units for a day, a setting or its own limit, over which it gets 402 daily_limit_reached until 00:00 UTC.",
      "jobs/daily-limit: daily_limit_reached: the account's jobs have reserved all units of its day; nothing is left behind",
      "jobs/daily-limit: follows the account's own limit where it has one",
      "jobs/daily-limit: lets in exactly as many jobs as the day has units, however many come at once",
      "jobs/daily-limit: agrees with a model of it, whatever jobs come at once, end, fail or are withdrawn, on whatever day",
    ],
    [
      "A blocked account creates no jobs (402) and may download.",
      "operations/createJob/trial: payment_required: a blocked account creates no job, whatever it asks for",
      "operations/createJobDownload: is there for a blocked account too",
      BLOCKED,
    ],
    [
      "503 comes from the trial's real backlog, of tasks that have not ended, with Retry-After and retryAfterSeconds.",
      QUEUE_FULL,
      "operations/createJob/trial: lets exactly as many tasks in as fit, however many jobs come at once",
      "operations/createJob/trial: has room again as soon as a job has ended, and tells by the pace when that will be",
      "operations/createJob/trial: lets a paid account pass while the trial lane is full",
    ],
    [
      "An optional Idempotency-Key makes a repeated createJob one job.",
      "operations/createJob/accepted: answers a repeated request with the first answer, before any other check",
      "operations/createJob/conflict: refuses a request whose twin is under way, and never makes a second job of it",
      "operations/createJob/accepted: makes the one job of a request that was cut off %s",
    ],
  ),
  ...section(
    "4.9",
    [
      "A replay of createApiKey is 201 with the same apiKey, secretUnavailable true and no secret.",
      "operations/createApiKey: answers a repetition with the same key, without the secret",
    ],
    [
      "Revoking a revoked key is 200 and leaves revokedAt unchanged.",
      "operations/revokeApiKey: answers for a key that is revoked already with its unchanged revokedAt",
    ],
    [
      "An unknown or foreign keyId is 404.",
      "operations/revokeApiKey: answers a foreign, an unknown and a malformed keyId alike, byte for byte, and revokes nothing",
    ],
    [
      "label is required, 1 to 100 characters.",
      "operations/createApiKey: refuses %s, and the Idempotency-Key stays free",
      "operations/createApiKey: takes a label of 1 and of 100 characters, of any script, and an Idempotency-Key of 128",
    ],
    [
      "A key is sk_live_, 40 base62 digits and 6 of the CRC-32.",
      "unit/core/accounts/api-key: is sk_live_, 40 base62 digits and 6 of the CRC-32 of all before them",
      "unit/core/lib/crc32: CRC-32 is zlib's, of whatever bytes",
    ],
    [
      "A key with a wrong checksum is refused without a database read.",
      "unit/core/accounts/api-key: is refused when any one character is another",
      "operations/getAccount: refuses an API key with a wrong checksum without a read of the database",
    ],
    [
      "An account has 100 live keys, a setting, over which it gets 409 too_many_keys.",
      "operations/createApiKey: an account cannot have more than 100 live keys",
      "operations/createApiKey: lets exactly as many keys of many requests at once through as fit",
      "accounts/budgets: let in exactly the API keys that the rule lets in, however the account stands",
    ],
    [
      "Only the SHA-256 digest of a key is stored.",
      "unit/core/accounts/api-key: is stored as SHA-256 of the whole secret, and shown by 12 characters",
      "operations/createApiKey: keeps the secret's digest, and the secret nowhere",
    ],
    [
      "A revoked key is refused on its very next use.",
      NEXT_USE,
      "operations/revokeApiKey: revokes the key in use, which is its last use",
    ],
  ),
  ...section(
    "4.10",
    [
      "Checkout is of one metered price.",
      "operations/createCheckout: answers with the URL of a page where the account subscribes to the metered price",
    ],
    [
      "An account has one customer.",
      "operations/createCheckout: makes one customer for an account, also for two requests at once",
    ],
    [
      "Checkout while a subscription is active gives 409 subscription_exists.",
      "operations/createCheckout: refuses a second subscription, also before the first one's webhook has come",
      "operations/createCheckout: sends an account in arrears to the portal: past due or unpaid is still a subscription",
    ],
    [
      "Webhooks decide the access mode: active and trialing paid, past_due and unpaid blocked, none and canceled trial.",
      "accounts/billing: decide the access mode, from the account's very next request on",
      SUBSCRIPTIONS,
      "unit/core/accounts/access: follows its subscription: %s gives %s",
    ],
    [
      "The order and number of webhook deliveries do not matter.",
      "accounts/billing: have their effect once: a known event asks Stripe for nothing",
      "accounts/billing-history: of many events, in any order, each one to three times and many at once, ends as the ordered one does",
    ],
    [
      "Forged and stale webhook signatures are refused.",
      "accounts/billing: are refused with a missing, forged or stale signature, and have no effect",
    ],
    [
      "Usage of customers is reported as meter events, once.",
      "jobs/ledger: tells the meter what a customer's job used, once, in the transaction of its settlement",
      "accounts/metering-windows: is one event per account and hour, sent once the hour is over, however many jobs there were",
      "e2e/account-walk: has a batch of four processed, and its use metered exactly once",
    ],
    [
      "The same Idempotency-Key: the first answer again, with Idempotent-Replayed.",
      "operations/createApiKey: answers a repetition with the same key, without the secret",
      "operations/createCheckout: answers a repeated Idempotency-Key with the same URL, and gives Stripe a key of its own",
      "operations/createBillingPortal: answers a repeated Idempotency-Key with the same URL; the key is another operation's no more than its own",
    ],
    [
      "Another body with the same key: 409 idempotency_mismatch.",
      "operations/createApiKey: refuses an Idempotency-Key that was used with another body, and remembers the first",
      "operations/createJob/conflict: refuses another request with a key that was used",
    ],
    [
      "While the first is running: 409 idempotency_in_progress with retryAfterSeconds.",
      "accounts/idempotency: is told to come again while the first is running, and one with another body that it never will do",
      "operations/createApiKey: makes one key of 200 requests at once: one shows the secret, the others are replays or told to come again",
    ],
    [
      "A key counts for its account and its operation, for 24 hours.",
      "accounts/idempotency: is another request for another account, operation or key, and each time where there is no key",
      "accounts/idempotency: is remembered for 24 hours, and then is new, with whatever body",
    ],
  ),
];
