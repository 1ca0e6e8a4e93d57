import {
  EVERY_ANSWER,
  FAILED,
  PROGRESS,
  SUCCESS,
  THRESHOLDS,
  VIDEO_TASK,
  VIDEO_UNITS,
  INTERNAL_ERROR,
  UNAUTHORIZED,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

/** What it leaves open of states, authentication, errors and limits (sections 3, 5, 7 and 8). */
export const DECIDED_BEHAVIOUR = [
  ...section(
    "3.1",
    [
      "A batch is success when one task succeeded, failed when all failed; each failed task has its own error.",
      SUCCESS,
      FAILED,
    ],
    [
      "Only processed units are charged: pictures, and frames of a video.",
      "jobs/ledger: releases the failed tasks of a batch",
      VIDEO_UNITS,
    ],
    [
      "How far a job is, its status tells in the header x-job-progress, of tasks under way too; its body is the specification's.",
      PROGRESS,
      "operations/retrieveJob: tells the mean over the tasks of a batch, of which a failed one has ended too",
      "operations/retrieveJob: begins again with a new attempt, whatever the holder of the lost lease tells",
      "unit/core/jobs/rollup: never falls while one lease is in force, whatever its holder tells",
      "unit/core/jobs/rollup: is a whole number of hundredths from 0 to 1, and 1 only when every task has ended",
    ],
  ),
  ...section(
    "5",
    [
      "An access token is checked by its signature and algorithm.",
      "accounts/access-tokens: one that is signed by another key under the same id, or tampered with",
      "accounts/access-tokens: one of an algorithm that is not on the list, unsigned ones too, without a fetch",
      "accounts/access-tokens: one that brings its own key",
    ],
    [
      "It is checked by issuer, audience and expiry.",
      "accounts/access-tokens: one %s",
      "accounts/access-tokens: beyond the clock's tolerance",
    ],
    [
      "The account is made at the first valid token, with its sub, email, email_verified, name and picture; two at once make one.",
      "accounts/access-tokens: makes the account at the first valid token, a trial account with the token's profile",
      "accounts/access-tokens: makes one account of many first requests at once",
    ],
    [
      "A JWKS that can't be reached is 503, not 401.",
      "accounts/access-tokens: answers 503, never 401, where the provider %s, and lets in when it is back",
    ],
    ["401 carries WWW-Authenticate: Bearer.", UNAUTHORIZED],
  ),
  ...section(
    "7",
    [
      "Every response has x-request-id.",
      "every-operation/cors: can be read, also where it is an error",
      "every-operation/documents: %s is guarded, and needs nothing from elsewhere",
      INTERNAL_ERROR,
      EVERY_ANSWER,
    ],
    [
      "An unknown path is 404, a wrong method 405, both with the error object.",
      "every-operation/paths-and-methods: answers the unknown path %s with 404",
      "every-operation/paths-and-methods: answers any method of %s but %s with 405, and names those",
    ],
    [
      "The codes are snake_case but for Unauthorized, of one catalogue that the docs list.",
      "unit/documents: has codes in snake_case, except the specification's Unauthorized",
      "unit/core/errors: lists the catalogue, each code with its status and sentence",
    ],
    [
      "message is a sentence that a person can act on.",
      "unit/http/complaint: %j: %s",
      "every-operation/bodies: says what is wrong, field by field",
      "every-operation/bodies: gives nothing long back",
    ],
    [
      "Malformed, duplicate-keyed, too deep and badly encoded bodies are 400.",
      "every-operation/bodies: refuses malformed and ambiguous JSON, and says what is wrong with it",
      "every-operation/bodies: refuses bytes that are not UTF-8",
    ],
  ),
  ...section(
    "8",
    [
      "A picture has up to 50 MB and 100 megapixels.",
      "operations/createJob/request: refuses a picture of more than 50 MB",
      THRESHOLDS,
      "inference/pictures/decode: more pixels than allowed are refused by the header",
    ],
    [
      "A video has up to 2 GB, apart from the limit of pictures.",
      "operations/createJob/request: refuses a video larger than the setting, which is not that of pictures",
      VIDEO_TASK,
    ],
    [
      "A job has up to 32 prompts of 200 characters, each excess with its own 400.",
      "operations/createJob/request: refuses more than 32 prompts, and a prompt of more than 200 characters",
    ],
    [
      "A picture has at most 200 masks of each prompt, the most confident; its task succeeds, and the notice masks_limited says so.",
      "inference/worker/mask-quota: of each prompt the most confident masks are kept, up to its share of the limit, and a notice says so",
      "inference/worker/mask-quota: just as many masks as the limit allows are kept without a notice",
    ],
    [
      "A JSON body has up to 256 KB.",
      "every-operation/bodies: takes a body of just the largest size",
      "every-operation/bodies: refuses a body that is too large, whether or not it says how large it is, without reading it all",
    ],
    [
      "Over 600 requests a minute of one account: 429 with Retry-After.",
      "every-operation/rate-limit: answers an account that is over its rate, on every operation, and says when to try again",
      "unit/openapi: tells the rates that wrangler.toml sets",
    ],
    [
      "Over 300 requests a minute of one address with credentials that are not known to be good: 429 with Retry-After, without a read.",
      "every-operation/address-rate: costs at most the rate of its address in reads, and is told when to come again",
      "every-operation/address-rate: stops nobody else: neither other addresses, nor those at the same one whose credential was seen good",
    ],
    [
      "Any origin may call /v1, with all headers that a client sends.",
      "every-operation/cors: is granted without authentication: $method $path",
      "every-operation/cors: can be read, also where it is an error",
    ],
    [
      "Inputs, outputs and rows are purged after 30 days.",
      "jobs/lifetime: ends after 30 days: outputs, archive, row and state are purged",
      "jobs/lifetime: loses its uploads after 30 days by the sweeper, not before",
    ],
  ),
];
