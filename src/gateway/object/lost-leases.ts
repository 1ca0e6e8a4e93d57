import { leaseOfKey } from "../../jobs/rules/lease.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import type { GatewayStorage } from "../store/storage.ts";

/**
 * Takes leases of a worker back: their tasks wait for another worker, without losing an attempt. Has no effect on tasks that have
 * ended. Keeps the leases whose job does not answer, for the next alarm.
 */
export async function takeBack(
  { jobObject }: Platform,
  storage: GatewayStorage,
  worker: string,
  keys: readonly string[],
): Promise<void> {
  await mapPool(keys, CONNECTIONS, async (key) => {
    const claims = leaseOfKey(key);
    try {
      if (claims !== null) {
        const { job, task, lease } = claims;
        const { reported } = await jobObject(job).completeTask(task, lease, { outcome: "returned" });
        if (reported === "ended")
          log("info", "lease_taken_back", { jobId: job, taskId: task, lease, worker });
      }
      storage.drop(key, worker);
    } catch (error) {
      log("warn", "lease_kept", { jobId: claims?.job ?? null, worker, reason: reasonOf(error) });
    }
  });
}
