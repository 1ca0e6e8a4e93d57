import { alarmTime } from "../../shared/alarm.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { JobPolicy } from "../../jobs/rules/policy.ts";
import type { WebhookEventType, DisabledReason } from "../contract/webhook.ts";
import { isSuccess, type AttemptEnd } from "./delivery.ts";

/** How many endpoints an account may have. */
export const MOST_ENDPOINTS = 10;
/** How many may be on record, including those deleted within a day. */
export const MOST_KEPT_ENDPOINTS = 100;

/** An account's endpoints: how many it has, and how many are on record. */
export interface EndpointUse {
  readonly live: number;
  readonly kept: number;
}

/** Refuses an account one more endpoint: too_many_webhook_endpoints. D1 repeats the rule in the statement that inserts. */
export function endpointRefusal({ live, kept }: EndpointUse): ServiceError | null {
  if (live >= MOST_ENDPOINTS) return new ServiceError("too_many_webhook_endpoints");
  if (kept < MOST_KEPT_ENDPOINTS) return null;
  return new ServiceError(
    "too_many_webhook_endpoints",
    `The account has ${kept} webhook endpoints, including those deleted within the last day. Create new ones later.`,
  );
}

/** How many tests of its endpoints an account may ask for within an hour: each is up to ten attempts at a delivery. */
export const MOST_TESTS_PER_HOUR = 60;

/** A delivery that has succeeded is kept while it is among this many newest ones of its endpoint. */
export const MOST_SUCCEEDED = 10_000;

const MONTH_MS = 30 * 86_400_000;

/** How long a delivery is kept, milliseconds: no longer than its job, and a month at most. */
export const deliveryKeptMs = ({ retentionMs }: JobPolicy): number => Math.min(retentionMs, MONTH_MS);

/** What an endpoint chooses events by; `at` is when it happened, epoch milliseconds. */
export interface EventSubject {
  readonly type: WebhookEventType;
  readonly at: number;
}

/** Whether an endpoint receives an event: it existed when that happened, and subscribes to its type. */
export const wants = (
  { events, createdAt }: { readonly events: readonly WebhookEventType[] | null; readonly createdAt: number },
  { type, at }: EventSubject,
): boolean => createdAt <= at && (events === null || events.includes(type));

/** An endpoint without a success for this long is disabled, milliseconds. */
export const PATIENCE_MS = 5 * 86_400_000;

/** Since when an endpoint has only failed (epoch ms); null if its last attempt succeeded, or there was none. */
export const failingAfter = (failingSince: number | null, end: AttemptEnd, now: number): number | null =>
  isSuccess(end) ? null : (failingSince ?? now);

/** Why an endpoint is to be disabled after an attempt with this `status` (null: no response); null if it is not. */
export function disablingReason(
  status: number | null,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (status === 410) return "gone";
  return failingSince !== null && now >= failingSince + PATIENCE_MS ? "no_success" : null;
}

/** What an endpoint's object has to attend to; times are epoch milliseconds, null if there is nothing. */
export interface Pending {
  /** When the first of its deliveries is due. */
  readonly dueAt: number | null;
  /** Whether deliveries are paused: the endpoint is disabled. */
  readonly isHeld: boolean;
  readonly failingSince: number | null;
  /** When its oldest delivery arrived. */
  readonly oldestAt: number | null;
}

/** How soon something overdue is tried: an alarm set to now while one runs is lost. */
const SOON_MS = 100;

/**
 * When the object needs its alarm, by `alarmTime`; Infinity if it has nothing to attend to.
 * @param keptMs how long a delivery is kept
 * @param setFor for when the alarm is set; null if it is not set, or has gone off
 */
export function nextWake(
  { dueAt, isHeld, failingSince, oldestAt }: Pending,
  keptMs: number,
  setFor: number | null,
  now: number,
): number {
  const times = [oldestAt === null ? null : oldestAt + keptMs];
  if (!isHeld) times.push(dueAt, failingSince === null ? null : failingSince + PATIENCE_MS);
  const deadlines = times.map((time) => time ?? Infinity);
  return alarmTime(deadlines, { setFor, overdueMs: SOON_MS }, now);
}
