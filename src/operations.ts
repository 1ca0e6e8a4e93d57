import type { Operation } from "./shared/api/operation.ts";
import { ACCOUNT_OPERATIONS } from "./accounts/contract/account-operations.ts";
import { API_KEYS_OPERATIONS } from "./accounts/contract/api-key-operations.ts";
import { BILLING_OPERATIONS } from "./billing/contract/operations.ts";
import { DOWNLOADS_OPERATIONS } from "./archives/contract/operations.ts";
import { JOBS_OPERATIONS } from "./jobs/contract/operations.ts";
import { MODEL_OPERATIONS } from "./models/contract/operations.ts";
import { SEGMENT_OPERATIONS } from "./segment/contract/operations.ts";
import { SHARES_OPERATIONS } from "./shares/contract/operations.ts";
import { UPLOADS_OPERATIONS } from "./uploads/contract/operations.ts";
import { WEBHOOKS_OPERATIONS } from "./webhooks/contract/operations.ts";

/** The API: section 4 of its specification, with this service's additions to the operations and their error codes. */
export const OPERATIONS = {
  ...SEGMENT_OPERATIONS,
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
