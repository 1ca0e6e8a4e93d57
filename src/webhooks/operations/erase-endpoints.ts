import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";

/** More than one account has; the next run takes the rest. */
const MOST_A_RUN = 200;

/** Erases the object of a deleted endpoint. Returns true if it did. */
export async function eraseEndpoint(platform: Platform, endpointId: string): Promise<boolean> {
  try {
    await platform.webhookObject(endpointId).erase();
    await platform.webhookEndpoints.noteErased(endpointId, Date.now());
    return true;
  } catch (error) {
    log("warn", "erasure_delayed", { endpointId, reason: reasonOf(error) });
    return false;
  }
}

/** Erases the objects of deleted endpoints, of one account or of all. Returns how many. */
export async function eraseEndpoints(platform: Platform, accountId: string | null): Promise<number> {
  let erased = 0;
  for (const endpointId of await platform.webhookEndpoints.toErase(accountId, MOST_A_RUN))
    if (await eraseEndpoint(platform, endpointId)) erased += 1;
  return erased;
}
