import { GATEWAY_PATH } from "@segmentation/protocol";
import type { AddedWorker, Workers } from "../../gateway/contract/workers.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Platform } from "../../platform.ts";

/** @throws ServiceError invalid_request if the gateway is not configured */
function gatewayOf({ settings, gateway }: Platform): ReturnType<Platform["gateway"]> {
  if (!settings.INFERENCE_GATEWAY)
    throw new ServiceError(
      "invalid_request",
      "This Worker takes no connections of inference services. Set INFERENCE_GATEWAY=true (docs/operations/inference.md).",
    );
  return gateway();
}

/**
 * Adds a worker to the gateway. Returns its token, which is shown only once.
 * @throws ServiceError invalid_request if the gateway is not configured or has such a worker
 */
export async function addWorker(platform: Platform, name: string): Promise<AddedWorker> {
  const { PUBLIC_URL, S3_ENDPOINT } = platform.settings;
  const added = await gatewayOf(platform).addWorker(name);
  if (added === null)
    throw new ServiceError(
      "invalid_request",
      `There is a worker ${name} already, or there are too many. Remove one, or choose another name.`,
    );
  const { host, pathname, protocol } = new URL(PUBLIC_URL + GATEWAY_PATH);
  const path = pathname.slice(0, -GATEWAY_PATH.length);
  const gatewayUrl = `${protocol === "http:" ? "ws" : "wss"}://${host}${path}`;
  return { ...added, gatewayUrl, storageOrigin: new URL(S3_ENDPOINT).origin };
}

/** Lists the gateway's workers. @throws ServiceError invalid_request if the gateway is not configured */
export const listWorkers = async (platform: Platform): Promise<Workers> => ({
  workers: await gatewayOf(platform).listWorkers(),
});

/** Revokes a worker's token and closes its connection. @throws ServiceError invalid_request if there is no such worker */
export async function removeWorker(platform: Platform, name: string): Promise<{ name: string }> {
  if (await gatewayOf(platform).removeWorker(name)) return { name };
  throw new ServiceError("invalid_request", `There is no worker ${name}. List them with list-workers.`);
}
