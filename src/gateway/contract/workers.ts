import { z } from "zod";

/*
 * The workers' part of the operator's API, `/internal/operator/workers`: for `npm run admin` alone. Times are epoch milliseconds.
 */

export const WorkerName = z.string().regex(/^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/);
export const AddWorkerRequest = z.object({ name: WorkerName });

export const NewWorker = z.object({ name: z.string(), token: z.string() });
export type NewWorker = z.infer<typeof NewWorker>;

/** A worker with the settings that its service needs to connect. */
export const AddedWorker = NewWorker.extend({ gatewayUrl: z.string(), storageOrigin: z.string() });
export type AddedWorker = z.infer<typeof AddedWorker>;

/** A worker; the service's part is that of its last connection, null if it has never connected. */
export const ConnectedWorker = z.object({
  name: WorkerName,
  isConnected: z.boolean(),
  model: z.string().nullable(),
  device: z.string().nullable(),
  version: z.string().nullable(),
  /** Tasks in progress. */
  tasks: z.int(),
  /** Null while it is not connected. */
  connectedSince: z.number().nullable(),
});
export type ConnectedWorker = z.infer<typeof ConnectedWorker>;
export const Workers = z.object({ workers: z.array(ConnectedWorker) });
export type Workers = z.infer<typeof Workers>;
