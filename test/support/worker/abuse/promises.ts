import { KEPT_PER_LIVE } from "../../../../src/accounts/rules/budgets.ts";
import { MOST_STREAMS } from "../../../../src/jobs/rules/waiters.ts";
import { USAGE_KEPT_DAYS } from "../../../../src/billing/rules/usage.ts";
import { MOST_KEPT_ENDPOINTS } from "../../../../src/webhooks/rules/endpoint.ts";
import { home } from "../runtime/databases.ts";
import type { Costs } from "./meter.ts";
import type { Stored } from "./stored.ts";

/** The limit that the settings promise for a cost, and the measured value. */
export interface Promised {
  readonly what: string;
  readonly seen: number;
  readonly limit: number;
  readonly because: string;
}

const LARGEST_PUT = 5 * 1024 ** 3;
const PRESIGN_MINUTES = 11;
/**
 * Calls of one checkout: the customer, its address, the open pages, the subscription and the invoices, the new page, the open
 * pages again.
 */
const CALLS_A_PAGE = 7;
const ENTRIES_A_JOB = 3;
/** A page of the list is the largest. */
const ROWS_OF_A_REQUEST = 150;
/** Hours that an upload_bytes row exists: its hour, a day and the time until the next sweep. */
const BYTE_HOURS = 26;
/** A settled_units row covers five minutes; it exists for a day and until the next sweep. */
const SLOTS = 26 * 12;

/**
 * Returns the limits of one trial account's cost in storage, computation and payments, by the settings.
 * @param hours of the month
 * @param busyHours hours in which the account is active
 */
export function promisesOfTrial(
  hours: number,
  busyHours: number,
  peak: Stored,
  { tasksOffered, stripeCalls, d1MostRead, mostStreams, readsInVain }: Costs,
  objects: number,
): Promised[] {
  const { settings, policy } = home.platform;
  const {
    TRIAL_MAX_UNUSED_UPLOADS: unused,
    TRIAL_MAX_TASKS_PER_DAY: tasks,
    TRIAL_DAYS: days,
    MAX_API_KEYS: keys,
    MAX_BILLING_SESSIONS_PER_HOUR: pages,
    MAX_IMAGE_BYTES: imageBytes,
    TRIAL_MAX_IMAGES: images,
  } = settings;
  // A trial of several 24 hours touches one calendar day more.
  const trialDays = Math.min(days + 1, Math.ceil(hours / 24) + 1);
  const jobs = tasks * trialDays;
  const keptKeys = keys * KEPT_PER_LIVE;
  const rows = (table: string, limit: number, because: string): Promised => ({
    what: `rows of ${table}`,
    seen: peak[`rows of ${table}`] ?? 0,
    limit,
    because,
  });
  return [
    rows(
      "uploads",
      unused + unused * KEPT_PER_LIVE + jobs,
      `TRIAL_MAX_UNUSED_UPLOADS, ${KEPT_PER_LIVE} times as many that are deleted, and one for each task of the trial`,
    ),
    rows("deleted_jobs", jobs, "each job may be deleted"),
    rows("upload_bytes", BYTE_HOURS, "one per hour, for a day"),
    rows("jobs", jobs, "TRIAL_MAX_TASKS_PER_DAY × (TRIAL_DAYS + 1)"),
    rows("ledger", jobs * ENTRIES_A_JOB, "three entries per job"),
    rows("ledger_closings", 1, "one per account"),
    rows("daily_use", 1, "one per account"),
    rows("account_counts", 1, "one per account"),
    rows("refused_inspections", 1, "one per account"),
    rows("trial_use", 1, "one per account"),
    rows("settled_units", SLOTS, "one per five minutes, for a day"),
    rows("usage_days", USAGE_KEPT_DAYS + 2, "one per day, for 400 days"),
    rows(
      "idempotency_keys",
      3 * tasks + keptKeys + 26 * pages + MOST_KEPT_ENDPOINTS,
      "one per effect, for a day: jobs, API keys, billing pages, webhook endpoints",
    ),
    rows("api_keys", keptKeys, `${KEPT_PER_LIVE} × MAX_API_KEYS`),
    rows("billing", 1, "one per account"),
    rows("billing_sessions", 1, "one per account"),
    rows("webhook_tests", 1, "one per account"),
    rows("metered_use", 0, "a trial owes nothing"),
    rows("ended_subscriptions", 0, "a trial has none"),
    rows("former_customers", 0, "Stripe alone deletes a customer"),
    rows("stripe_events", 0, "only true events are noted, once"),
    rows("meter_events", 0, "a trial reports no usage"),
    rows("dead_letters", 0, "no message of a client's can fail"),
    rows("webhook_endpoints", MOST_KEPT_ENDPOINTS, "ten, and those that were deleted within a day"),
    rows("accounts", 1, "one per person at the identity provider"),
    {
      what: "bytes of inputs",
      seen: peak["bytes of inputs"] ?? 0,
      limit: (unused + tasks) * LARGEST_PUT + jobs * imageBytes,
      because: `5 GiB for each upload of the last ${PRESIGN_MINUTES} minutes, MAX_IMAGE_BYTES for each that was used`,
    },
    {
      what: "Durable Objects",
      seen: objects,
      limit: jobs,
      because: "one for each accepted job, none for a refused one",
    },
    {
      what: "calls of the inference service",
      seen: tasksOffered,
      limit: jobs * policy.maxAttempts,
      because: "three attempts per task",
    },
    {
      what: "reads of the bucket for refused jobs",
      seen: readsInVain,
      limit: (tasks + images) * trialDays,
      because: "TRIAL_MAX_TASKS_PER_DAY × (TRIAL_DAYS + 1), and each day what the last job named",
    },
    {
      what: "streams that a job holds",
      seen: mostStreams,
      limit: MOST_STREAMS.job,
      because: "ten for each job",
    },
    {
      what: "calls of Stripe",
      seen: stripeCalls,
      // Work that begins in one hour may end in the next, which has a separate number of pages.
      limit: busyHours * 2 * pages * CALLS_A_PAGE,
      because: "MAX_BILLING_SESSIONS_PER_HOUR × seven calls of a checkout",
    },
    {
      what: "rows that one request reads",
      seen: d1MostRead,
      limit: keptKeys + ROWS_OF_A_REQUEST,
      because: "its API keys, and what every request reads",
    },
  ];
}

/** Returns the limits of a stranger's cost for this many requests. */
export function promisesOfStranger(costs: Costs, created: number): Promised[] {
  const none = (what: string, seen: number, because: string): Promised => ({ what, seen, limit: 0, because });
  return [
    none("rows written", costs.d1RowsWritten, "nothing is kept of a stranger"),
    none("rows of accounts", created, "only a token of the identity provider makes one"),
    none("operations of the bucket", costs.r2ClassA + costs.r2ClassB, "only an account's requests reach it"),
    none("calls of Stripe", costs.stripeCalls, "a forged webhook is refused, a replayed one is known"),
    none("calls of the inference service", costs.tasksOffered, "only an accepted job has tasks"),
    {
      what: "rows read",
      seen: costs.d1RowsRead,
      limit: 2 * costs.requests,
      because: "a look for a well-formed key, 300 per minute and address; a known webhook",
    },
  ];
}
