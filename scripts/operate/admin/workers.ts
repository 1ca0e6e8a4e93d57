import { AddedWorker, Workers } from "../../../src/gateway/contract/workers.ts";
import { counted } from "../../../client/src/cli/progress/words.ts";
import type { OperatorApi } from "../../shared/database/operator-api.ts";
import type { Outcome } from "../../shared/database/print.ts";

/** Adds a worker to the gateway, and returns the line that starts its service. */
export async function addWorker(api: OperatorApi, name: string): Promise<Outcome> {
  const { token, gatewayUrl, storageOrigin } = AddedWorker.parse(
    await api.call("POST", "/workers", { name }),
  );
  const line = [
    "docker run --gpus all",
    `-e GATEWAY_URL=${gatewayUrl}`,
    `-e INFERENCE_TOKEN=${token}`,
    `-e STORAGE_ORIGINS=${storageOrigin}`,
    "segmentation-inference:cuda",
  ].join(" ");
  return {
    result: { name, token },
    summary: `The token is shown only this once. Start the service where the GPU is:\n${line}`,
  };
}

/** Lists the gateway's workers. */
export async function listWorkers(api: OperatorApi): Promise<Outcome> {
  const { workers } = Workers.parse(await api.call("GET", "/workers"));
  const connected = workers.filter(({ isConnected }) => isConnected).length;
  return {
    result: workers.map(({ name, model, device, version, tasks, connectedSince }) => ({
      name,
      model,
      device,
      version,
      tasks,
      connectedSince: connectedSince === null ? null : new Date(connectedSince).toISOString(),
    })),
    summary: `${counted(workers.length, "worker")}, ${connected} connected.`,
  };
}

/** Revokes a worker's token; its connection ends, and its tasks go to other workers. */
export async function removeWorker(api: OperatorApi, name: string): Promise<Outcome> {
  await api.call("POST", `/workers/${name}/remove`);
  return {
    result: { name },
    summary: "Removed. Its tasks wait for another worker, without losing an attempt.",
  };
}
