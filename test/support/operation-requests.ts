import type { Operation } from "../../../../src/shared/api/operation.ts";
import { OPERATIONS, type OperationId } from "../../../../src/operations.ts";
import { imageJob } from "../fixtures/jobs.ts";

/** What an operation's request names. */
export interface Named {
  readonly jobId: string;
  readonly keyId: string;
  readonly taskId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** A request without its credential. */
export interface OperationRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const ABSENT: Named = {
  jobId: `job_${"0".repeat(32)}`,
  keyId: `key_${"0".repeat(32)}`,
  taskId: "00000000-0000-4000-8000-000000000000.png",
  endpointId: `whe_${"0".repeat(32)}`,
  deliveryId: `evt_${"0".repeat(32)}`,
};

type Table = typeof OPERATIONS;
type WithBody = { [Id in OperationId]: Table[Id] extends { body: unknown } ? Id : never }[OperationId];

/** A valid body of each operation that has one; the compiler asks for it. A number is no value of its last field. */
const BODIES: Readonly<Record<WithBody, (named: Named) => object>> = {
  createUploadPresign: () => ({ contentType: "image/png" }),
  createMultipartUpload: () => ({ size: 12, contentType: "image/png" }),
  completeMultipartUpload: () => ({ parts: [{ partNumber: 1, etag: '"0cc175b9c0f1b6a831c399e269772661"' }] }),
  importUpload: () => ({ url: "https://pictures.example/cat.png" }),
  createJob: ({ taskId }) => imageJob([taskId]),
  createShare: () => ({ further: [], expiresIn: 3_600, showInputs: true }),
  createApiKey: () => ({ label: "a key" }),
  createWebhookEndpoint: () => ({ url: "https://receiver.test/hook" }),
  updateWebhookEndpoint: () => ({ disabled: false }),
};

const hasBody = (operation: OperationId): operation is WithBody => operation in BODIES;

/** A valid request of an operation; the things that it names do not exist unless they are given. */
export function requestOf(operation: OperationId, named: Partial<Named> = {}): OperationRequest {
  const all: Readonly<Record<string, string>> & Named = { ...ABSENT, ...named };
  const { method, path, idempotencyKey }: Operation = OPERATIONS[operation];
  const body = hasBody(operation) ? BODIES[operation](all) : undefined;
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? ""),
    headers: {
      ...(idempotencyKey !== undefined && { "idempotency-key": crypto.randomUUID() }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body,
  };
}
