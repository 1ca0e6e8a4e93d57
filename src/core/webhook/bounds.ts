import type { JobPolicy } from "../job/policy.ts";

/** How many endpoints an account may have. */
export const MOST_ENDPOINTS = 10;
/** How many deliveries of an endpoint are kept: the newest. */
export const MOST_DELIVERIES = 10_000;

const MONTH_MS = 30 * 86_400_000;

/** How long a delivery is kept, milliseconds: no longer than the job that it tells of, and a month at most. */
export const deliveryKeptMs = ({ retentionMs }: JobPolicy): number => Math.min(retentionMs, MONTH_MS);
