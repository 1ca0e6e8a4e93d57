import { ServiceError } from "../errors.ts";
import type { JobPolicy } from "../jobs/policy.ts";
import type { WebhookEventType, DisabledReason } from "../../contract/webhook.ts";
import { isSuccess, type AttemptEnd } from "./delivery.ts";

/** How many endpoints an account may have. */
export const MOST_ENDPOINTS = 10;
/** How many may be on record, with those that were deleted within a day. */
export const MOST_KEPT_ENDPOINTS = 100;

/** An account's endpoints: those that it has, and all that are on record. */
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
    `The account has ${kept} webhook endpoints with those that it has deleted within a day. Make new ones later.`,
  );
}

/** How many deliveries of an endpoint are kept: the newest. */
export const MOST_DELIVERIES = 10_000;

const MONTH_MS = 30 * 86_400_000;

/** How long a delivery is kept, milliseconds: no longer than the job that it tells of, and a month at most. */
export const deliveryKeptMs = ({ retentionMs }: JobPolicy): number => Math.min(retentionMs, MONTH_MS);

/** Whether an endpoint is told of an event: it was there when that happened (`at`, epoch ms), and wants its type. */
export const wants = (
  { events, createdAt }: { readonly events: readonly WebhookEventType[] | null; readonly createdAt: number },
  { type, at }: { readonly type: WebhookEventType; readonly at: number },
): boolean => createdAt <= at && (events === null || events.includes(type));

/** An endpoint that had no success for so long is disabled, milliseconds. */
export const PATIENCE_MS = 5 * 86_400_000;

/** Since when an endpoint has only failed (epoch ms); null while its last attempt was a success, or there was none. */
export const failingAfter = (failingSince: number | null, end: AttemptEnd, now: number): number | null =>
  isSuccess(end) ? null : (failingSince ?? now);

/** Why an endpoint is to be disabled after an attempt that ended with `status`, null if it had none; null if it is not. */
export function disablingReason(
  status: number | null,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (status === 410) return "gone";
  return failingSince !== null && now >= failingSince + PATIENCE_MS ? "no_success" : null;
}

/** What an endpoint's object has to look after; times are epoch milliseconds, null where there is nothing. */
export interface Pending {
  /** When the first of its deliveries is due. */
  readonly dueAt: number | null;
  /** Whether nothing may be sent now: the endpoint is disabled. */
  readonly isHeld: boolean;
  readonly failingSince: number | null;
  /** When its oldest delivery arrived. */
  readonly oldestAt: number | null;
}

/** Something overdue is tried again so soon: an alarm that is set to now while one runs is lost. */
const SOON_MS = 100;

/** When the object needs its alarm, always in the future; null if it has nothing to look after. @param keptMs how long a delivery is kept */
export function nextWake(
  { dueAt, isHeld, failingSince, oldestAt }: Pending,
  keptMs: number,
  now: number,
): number | null {
  const times = [oldestAt === null ? null : oldestAt + keptMs];
  if (!isHeld) times.push(dueAt, failingSince === null ? null : failingSince + PATIENCE_MS);
  const first = Math.min(...times.map((time) => time ?? Infinity));
  return first === Infinity ? null : Math.max(first, now + SOON_MS);
}
