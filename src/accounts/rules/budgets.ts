import type { AccessMode } from "../../billing/contract/billing.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";

/**
 * Limits of what an account may store without paying: uploads and API keys. D1 repeats each rule in the statement that inserts
 * (uploads/store/uploads.ts, accounts/store/api-keys.ts): concurrent requests cannot exceed a budget together. A test checks that
 * the two agree.
 */

export interface UploadBudget {
  /** Uploads that no job has used yet. */
  readonly maxUnused: number;
  readonly maxDailyBytes: number;
}

/** The budgets from the operator's settings. */
export interface UploadBudgets {
  readonly trial: UploadBudget;
  readonly paid: UploadBudget;
}

/** Number of hours before the current one that count as the last day, whose bytes and deletions are limited. */
export const DAY_HOURS = 24;

/** The uploads presigned in one epoch hour: the bytes found in storage, and the number deleted within a day. */
export interface UploadHour {
  readonly hour: number;
  readonly bytes: number;
  readonly deleted: number;
}

/** An account's uploads: the number not used by a job, and the hours of the last day. */
export interface UploadUse {
  readonly unused: number;
  readonly hours: readonly UploadHour[];
}

const sumOf = ({ hours }: UploadUse, what: "bytes" | "deleted"): number =>
  hours.reduce((sum, hour) => sum + hour[what], 0);

export const dailyBytesOf = (use: UploadUse): number => sumOf(use, "bytes");

/** The budget of an access mode; a blocked account has the trial's. */
export const uploadBudgetOf = (budgets: UploadBudgets, accessMode: AccessMode): UploadBudget =>
  accessMode === "paid" ? budgets.paid : budgets.trial;

const HOUR_MS = 3_600_000;

/** Returns the time (epoch ms) at which the last day's sum falls below `most` if the account adds nothing more. */
function belowAt(use: UploadUse, what: "bytes" | "deleted", most: number): number {
  let sum = sumOf(use, what);
  let last = 0;
  for (const one of use.hours.toSorted((a, b) => a.hour - b.hour)) {
    if (sum < most) break;
    sum -= one[what];
    last = one.hour;
  }
  return (last + DAY_HOURS + 1) * HOUR_MS;
}

/** Returns the refusal for an account that has used up a day's budget, with the time until it may upload again. */
const dayIsFull = (reason: string, fitsAt: number, now: number): ServiceError =>
  new ServiceError("too_many_uploads", `${reason} within a day. ${TRY_AGAIN}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((fitsAt - now) / 1_000)),
  });

/**
 * Records allowed per live upload or key: revoked API keys stay for 90 days, and deleted uploads until a day after their presign.
 * An account that creates and deletes all day must not fill the database.
 */
export const KEPT_PER_LIVE = 10;

/** Returns the day's bytes below which an upload of this size fits; null for an unknown size. An empty day takes every file. */
export const fitsBelow = ({ maxDailyBytes }: UploadBudget, size: number | null): number =>
  Math.max(1, maxDailyBytes - Math.max(1, size ?? 1) + 1);

/**
 * Returns why an account may not add an upload at `now` (epoch ms): too_many_uploads, with a Retry-After if waiting helps.
 * @param size the upload's bytes; null if they are not known yet
 */
export function presignRefusal(
  budget: UploadBudget,
  use: UploadUse,
  now: number,
  size: number | null = null,
): ServiceError | null {
  if (use.unused >= budget.maxUnused) {
    return new ServiceError(
      "too_many_uploads",
      `Uploads of this account that no job has used: ${use.unused}. Create jobs from them; unused uploads are deleted after a day.`,
    );
  }
  const most = fitsBelow(budget, size);
  if (dailyBytesOf(use) >= most) {
    const has =
      size === null ? "The account has uploaded" : "With this file, the account would have uploaded";
    const reason = `${has} more than ${budget.maxDailyBytes} bytes`;
    return dayIsFull(reason, belowAt(use, "bytes", most), now);
  }
  const mostDeleted = budget.maxUnused * KEPT_PER_LIVE;
  if (sumOf(use, "deleted") < mostDeleted) return null;
  return dayIsFull(
    `The account has deleted ${mostDeleted} uploads`,
    belowAt(use, "deleted", mostDeleted),
    now,
  );
}

/** An account's API keys: the number not revoked, and the number on record. */
export interface ApiKeyUse {
  readonly live: number;
  readonly kept: number;
}

/** Returns why an account may not add an API key: too_many_keys. */
export function apiKeyRefusal(maxLive: number, use: ApiKeyUse): ServiceError | null {
  if (use.live >= maxLive) return new ServiceError("too_many_keys");
  if (use.kept < maxLive * KEPT_PER_LIVE) return null;
  return new ServiceError(
    "too_many_keys",
    `The account has ${use.kept} API keys, including revoked ones, which stay on record for 90 days. Create new ones later.`,
  );
}
