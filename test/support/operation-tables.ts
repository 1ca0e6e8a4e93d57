import { OPERATION_IDS, OPERATIONS } from "../../src/operations.ts";

/** A test over a list of this module also covers every operation that is added. */
export { OPERATION_IDS };

/** The operations on one job. */
export const OF_ONE_JOB = OPERATION_IDS.filter((id) => OPERATIONS[id].path.includes("{jobId}"));

/** The operations on one webhook endpoint. */
export const OF_ONE_ENDPOINT = OPERATION_IDS.filter((id) => OPERATIONS[id].path.includes("{endpointId}"));

/** The operations that open a page of the payment provider. */
export const OF_BILLING = OPERATION_IDS.filter((id) => OPERATIONS[id].path.startsWith("/v1/billing/"));
