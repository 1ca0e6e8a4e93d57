import { alarmTime } from "../../shared/alarm.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { JobPolicy } from "../../jobs/rules/policy.ts";
import type { WebhookEventType, DisabledReason } from "../contract/webhook.ts";
import { isSuccess, type AttemptEnd } from "./delivery.ts";

export const MOST_ENDPOINTS = 10;
/** Maximum number on record, including those deleted within a day. */
export const MOST_KEPT_ENDPOINTS = 100;

/** An account's endpoints: its current number, and the number on record. */
export interface EndpointUse {
  readonly live: number;
  readonly kept: number;
}

/**
 * Returns why an account may not add an endpoint: too_many_webhook_endpoints. D1 repeats the rule in the statement that inserts.
 */
export function endpointRefusal({ live, kept }: EndpointUse): ServiceError | null {
  if (live >= MOST_ENDPOINTS) return new ServiceError("too_many_webhook_endpoints");
  if (kept < MOST_KEPT_ENDPOINTS) return null;
  return new ServiceError(
    "too_many_webhook_endpoints",
    `The account has ${kept} webhook endpoints, including those deleted within the last day. Create new ones later.`,
  );
}

/** Maximum number of an account's endpoint tests within an hour: each is up to ten attempts at a delivery. */
export const MOST_TESTS_PER_HOUR = 60;

/** A successful delivery is kept while it is among this many newest ones of its endpoint. */
export const MOST_SUCCEEDED = 10_000;

const MONTH_MS = 30 * 86_400_000;

/** Returns the retention of a delivery, in milliseconds: no longer than its job's, and a month at most. */
export const deliveryKeptMs = ({ retentionMs }: JobPolicy): number => Math.min(retentionMs, MONTH_MS);

/** The properties by which an endpoint chooses events; `at` is the event's time, epoch milliseconds. */
export interface EventSubject {
  readonly type: WebhookEventType;
  readonly at: number;
}

/** Returns true if an endpoint receives an event: it existed at the time, and subscribes to its type. */
export const wants = (
  { events, createdAt }: { readonly events: readonly WebhookEventType[] | null; readonly createdAt: number },
  { type, at }: EventSubject,
): boolean => createdAt <= at && (events === null || events.includes(type));

/** Time without a success after which an endpoint is disabled, in milliseconds. */
const PATIENCE_MS = 5 * 86_400_000;

/** Returns the time since which an endpoint has only failed (epoch ms); null if its last attempt succeeded, or there was none. */
export const failingAfter = (failingSince: number | null, end: AttemptEnd, now: number): number | null =>
  isSuccess(end) ? null : (failingSince ?? now);

/** Returns why an endpoint must be disabled after an attempt with this `status` (null: no response); null to keep it. */
export function disablingReason(
  status: number | null,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (status === 410) return "gone";
  return failingSince !== null && now >= failingSince + PATIENCE_MS ? "no_success" : null;
}

/** The pending work of an endpoint's object; times are epoch milliseconds, null if there is none. */
export interface Pending {
  /** The time at which the first of its deliveries is due. */
  readonly dueAt: number | null;
  /** True while deliveries are paused: the endpoint is disabled. */
  readonly isHeld: boolean;
  readonly failingSince: number | null;
  /** The arrival of its oldest delivery. */
  readonly oldestAt: number | null;
}

/** Delay before overdue work is tried: an alarm set to now while one runs is lost. */
const SOON_MS = 100;

/**
 * Returns the time at which the object needs its alarm, by `alarmTime`; Infinity without pending work.
 * @param keptMs the retention of a delivery
 * @param setFor the time that the alarm is set for; null if it is not set, or has gone off
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
