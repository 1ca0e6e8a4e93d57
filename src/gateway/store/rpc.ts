import type { ConnectedWorker, NewWorker } from "../contract/workers.ts";

/** The RPC methods that the InferenceGateway offers to the operator's API. Its `fetch` takes connections and relays requests. */
export interface GatewayRpc {
  /** Adds a worker and returns its token, which only the answer has; null if there is one of that name, or too many. */
  addWorker(name: string): Promise<NewWorker | null>;
  /** Returns all workers, connected or not. */
  listWorkers(): ConnectedWorker[];
  /** Revokes a worker's token, closes its connection and takes its leases back. False if there is no such worker. */
  removeWorker(name: string): Promise<boolean>;
}

/** The name of the one gateway. */
export const GATEWAY = "gateway";
