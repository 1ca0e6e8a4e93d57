import { OPERATIONS, type OperationId } from "../../src/contract/operations.ts";

/** All operations. A test over a list of this module also covers every operation that is added. */
export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId => id in OPERATIONS);

/** The operations on one job. */
export const OF_ONE_JOB = OPERATION_IDS.filter((id) => OPERATIONS[id].path.includes("{jobId}"));

/** The operations on one webhook endpoint. */
export const OF_ONE_ENDPOINT = OPERATION_IDS.filter((id) => OPERATIONS[id].path.includes("{endpointId}"));

/** The operations that open a page of the payment provider. */
export const OF_BILLING = OPERATION_IDS.filter((id) => OPERATIONS[id].path.startsWith("/v1/billing/"));
