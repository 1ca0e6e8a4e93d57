import { section, type Statement } from "../statement.ts";
import { EVERY_ANSWER, UNAUTHORIZED } from "../shared-proofs.ts";

const PLAN =
  "unit/core/webhooks/delivery: is tried at once, and again 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h after each failure; then it has failed";
const MANY =
  "webhooks/many-jobs: each arrives at the slow one under one webhook-id, the dead one is retried as planned and disabled after five days, and neither holds up anything";
const VERIFIED =
  "unit/core/webhooks/signing: are verified by the package standardwebhooks with each of the secrets, whatever is signed, and by no other";
const REAL =
  "e2e/webhooks: is told by signed requests that the package standardwebhooks verifies, and by none that is redirected or never answered";

/** Section 3 of the additions: webhooks. */
export const ADDED_WEBHOOKS: readonly Statement[] = section(
  "A3",
  [
    "Nine operations under /v1/webhook-endpoints create, list, get, change, delete, rotate, test, list deliveries and retry one.",
    EVERY_ANSWER,
    UNAUTHORIZED,
    "every-operation/absent-endpoint: answers a foreign, an unknown and a malformed endpointId alike, byte for byte",
  ],
  [
    "POST answers 201 with the endpoint and its secret, whsec_…, shown once; Idempotency-Key is required.",
    "operations/createWebhookEndpoint: answers with the endpoint and its secret, which is shown once",
    "operations/createWebhookEndpoint: refuses a request without an Idempotency-Key",
    "operations/createWebhookEndpoint: keeps the secret sealed, and in clear nowhere",
  ],
  [
    "A replay is 201 with the same endpoint, secretUnavailable true and no secret.",
    "operations/createWebhookEndpoint: answers a repetition with the same endpoint, without the secret",
  ],
  [
    "GET lists the endpoints, and gives one.",
    "operations/listWebhookEndpoints: gives the account's endpoints, newest first, without secrets",
    "operations/retrieveWebhookEndpoint: gives the endpoint without its secret",
  ],
  [
    "PATCH changes url, events, description and disabled.",
    "operations/updateWebhookEndpoint: changes what is given, and leaves the rest as it is",
    "operations/updateWebhookEndpoint: disables the endpoint: nothing is sent, and what waits goes on once it is enabled again",
  ],
  [
    "DELETE takes the endpoint and its deliveries away.",
    "operations/deleteWebhookEndpoint: leaves nothing of the endpoint and its deliveries, and sends nothing any more",
    "operations/deleteWebhookEndpoint: is not undone by an event that was on its way",
    "accounts/erasure: loses its webhook endpoints with their deliveries, and nothing is sent to them any more",
  ],
  [
    "rotate-secret: both secrets sign for 24 h.",
    "operations/rotateWebhookSecret: gives a new secret; for 24 hours both sign, then the new one alone",
    "unit/core/webhooks/signing: both sign for 24 hours after a rotation, the new one first",
  ],
  [
    "test sends an event of the type test.",
    "operations/testWebhookEndpoint: sends an event of the type test, whatever the endpoint wants, as any other is sent",
  ],
  [
    "deliveries: keyset, newest first: event, attempts with time, status and milliseconds.",
    "operations/listWebhookDeliveries: gives event, status and attempts with time, status and milliseconds, newest first",
    "operations/listWebhookDeliveries: gives each delivery once over its pages, also where new ones arrive in between",
  ],
  [
    "retry makes another attempt.",
    "operations/retryWebhookDelivery: tries one that waits at once, and it succeeds",
    "operations/retryWebhookDelivery: sends one again that has succeeded, with the same id and the same body",
  ],
  [
    "An account has at most 10 endpoints.",
    "operations/createWebhookEndpoint: refuses an eleventh endpoint, until one is deleted; other accounts have their own ten",
    "operations/createWebhookEndpoint: lets exactly ten of many requests at once through",
  ],
  [
    "Events: job.succeeded, job.failed, archive.ready, archive.failed; { type, timestamp, data } with what the API gives, an archive without its URL.",
    "webhooks/events: of the end of a job with its status, and of the end of its archive without its URL",
    "webhooks/events: of a job and an archive that failed, and of a job that was cancelled; not of one that was deleted",
    "unit/core/jobs/milestones: tells what the API gives: the job's status, or the archive without its URL",
  ],
  [
    "An endpoint is told of the events that it wants.",
    "webhooks/events: only of what it wants, and nothing that happened before it was there, to others or while it is disabled",
  ],
  [
    "webhook-id is the same on every attempt; webhook-timestamp; webhook-signature is v1, HMAC-SHA256, base64, one for each valid secret.",
    "webhooks/delivery: is a POST of JSON with the specification's headers, signed for its own time; redirects are not followed",
    "unit/core/webhooks/signing: are the specification's: the id, whole seconds, and a signature for each secret, separated by a space",
    VERIFIED,
    REAL,
    "unit/webhook-examples: reads a request that the service signed, and refuses one that another did, that was changed, or that is old",
  ],
  [
    "An event is written down in the same turn as the job's end, and arrives at least once.",
    "unit/core/jobs/milestones: in the turn of its end, once: job.succeeded if a task succeeded, job.failed if none did",
    "webhooks/events: is written down in the turn of the job's end: whoever is cut off after that tells it by the job's alarm",
    "webhooks/events: is handed over again until each endpoint's object has it, and is one delivery each all the same",
    MANY,
  ],
  [
    "2xx within 15 s is success; the body is not read; redirects are not followed.",
    "webhooks/delivery: succeeds with any status from 200 to 299",
    "webhooks/delivery: fails with a redirect, which is not followed",
    "webhooks/delivery: that gets no response within 15 seconds fails with a timeout",
    "webhooks/delivery: reads nothing of a body of megabytes: it is cancelled",
    REAL,
  ],
  [
    "Retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, with jitter.",
    PLAN,
    "unit/core/webhooks/delivery: waits up to a tenth longer than the plan, never less",
    "webhooks/delivery: is tried as planned, with jitter, ten times in all; then the delivery has failed, and may be tried by hand",
    "webhooks/delivery: is written down before it is made: one that is cut off has been, and the next has the same id",
  ],
  [
    "410 disables the endpoint, and so do five days without one success; the overview says why.",
    "webhooks/delivery: that answers 410 is disabled at once, and what waits is not sent until it is enabled",
    "webhooks/delivery: is disabled five days after its first failure, also if nothing was to be sent then; the overview says why",
    "webhooks/delivery: is not disabled if one success came in between, or if it was enabled in between",
    MANY,
  ],
  [
    "One slow or dead endpoint delays nobody else's events and no job.",
    MANY,
    "webhooks/delivery: is one of four at a time",
    "webhooks/events: that no object answers for holds up neither the job's list nor its archive",
    "webhooks/events: of an account without endpoints costs no statement of its own, and leaves nothing behind",
  ],
  [
    "Only https and public hosts, no credentials, not the service itself; at the creation, at each change and at each delivery.",
    "webhooks/forbidden: is refused when an endpoint is created and when it is changed, whichever of 45 it is",
    "webhooks/forbidden: is refused at each delivery, if an endpoint has it all the same",
    "webhooks/forbidden: is not reached by a redirect",
  ],
  ["A setting allows http://127.0.0.1 on a laptop.", REAL],
  [
    "What an account's webhooks may store is bounded.",
    "webhooks/delivery: keeps the newest 10,000 deliveries, and says how many it has dropped untold",
    "operations/listWebhookDeliveries: forgets a delivery after a month",
    "operations/retryWebhookDelivery: refuses a thirty-first attempt",
    "operations/rotateWebhookSecret: refuses a sixth secret that would be valid at a time, until one of the others has ended",
  ],
);
