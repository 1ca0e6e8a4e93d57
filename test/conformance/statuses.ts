import type { Operation } from "../../src/shared/api/operation.ts";
import { OPERATIONS, type OperationId } from "../../src/operations.ts";
import { ERROR_CATALOGUE } from "../../src/shared/errors.ts";

/** The statuses that the specification gives its operations: their success, then their errors. */
export const SPECIFIED_STATUSES: Readonly<Partial<Record<OperationId, readonly number[]>>> = {
  createUploadPresign: [200, 400, 401, 500],
  listJobs: [200, 400, 401, 500],
  createJob: [202, 400, 401, 402, 403, 409, 500, 502, 503],
  retrieveJob: [200, 401, 404, 500],
  retrieveJobResult: [200, 401, 404, 409, 500],
  createJobDownload: [202, 401, 404, 409, 500],
  retrieveJobDownload: [200, 401, 404, 409, 500],
  getAccount: [200, 401],
  getAccountOverview: [200, 401],
  listApiKeys: [200, 401],
  createApiKey: [201, 401],
  revokeApiKey: [200, 401],
  createCheckout: [201, 401],
  createBillingPortal: [201, 401],
};

const STATUS_OF = new Map<string, number>(
  Object.entries(ERROR_CATALOGUE).map(([code, [status]]) => [code, status]),
);

/** The statuses that an operation has to have tests of: those of its row, and those that the specification gives it. */
export function statusesOf(id: OperationId): number[] {
  const { status, noContent, body, errors }: Operation = OPERATIONS[id];
  const ofErrors = errors.flatMap((code) => STATUS_OF.get(code) ?? []);
  return [
    ...new Set([
      status,
      ...(noContent === undefined ? [] : [204]),
      ...(body === undefined ? [] : [400]),
      401,
      ...ofErrors,
      500,
      ...(SPECIFIED_STATUSES[id] ?? []),
    ]),
  ];
}
