import type { OperationId } from "../../src/contract/operations.ts";

/** The statuses that each operation has to have tests of: its success, then its errors. */
export const SPECIFIED_STATUSES: Readonly<Record<OperationId, readonly number[]>> = {
  createUploadPresign: [200, 400, 401, 500],
  deleteUpload: [204, 401, 404, 409, 500],
  importUpload: [201, 400, 401, 409, 500, 502],
  listJobs: [200, 400, 401, 500],
  createJob: [202, 400, 401, 402, 403, 409, 500, 502, 503],
  retrieveJob: [200, 401, 404, 500],
  streamJobEvents: [200, 204, 401, 404, 429, 500],
  retrieveJobResult: [200, 401, 404, 409, 500],
  cancelJob: [200, 401, 404, 500],
  deleteJob: [204, 401, 404, 500],
  createJobDownload: [202, 401, 404, 409, 500],
  retrieveJobDownload: [200, 401, 404, 409, 500],
  getAccount: [200, 401],
  getAccountOverview: [200, 401],
  getAccountUsage: [200, 400, 401],
  listApiKeys: [200, 401],
  createApiKey: [201, 401],
  revokeApiKey: [200, 401],
  createCheckout: [201, 401],
  createBillingPortal: [201, 401],
};
