import { ServiceError } from "../errors.ts";
import type { JobPolicy } from "../jobs/policy.ts";

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
