import type { Operation } from "./operation.ts";
import { ACCOUNT_OPERATIONS } from "./operations/account.ts";
import { API_KEYS_OPERATIONS } from "./operations/api-keys.ts";
import { BILLING_OPERATIONS } from "./operations/billing.ts";
import { DOWNLOADS_OPERATIONS } from "./operations/downloads.ts";
import { JOBS_OPERATIONS } from "./operations/jobs.ts";
import { MODEL_OPERATIONS } from "./operations/model.ts";
import { SHARES_OPERATIONS } from "./operations/shares.ts";
import { UPLOADS_OPERATIONS } from "./operations/uploads.ts";
import { WEBHOOKS_OPERATIONS } from "./operations/webhooks.ts";

/** The API: section 4 of its specification, with what this service adds to the operations and their error codes. */
export const OPERATIONS = {
  ...UPLOADS_OPERATIONS,
  ...JOBS_OPERATIONS,
  ...DOWNLOADS_OPERATIONS,
  ...SHARES_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...API_KEYS_OPERATIONS,
  ...WEBHOOKS_OPERATIONS,
  ...BILLING_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** All operations, in the table's order. */
export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId => id in OPERATIONS);
