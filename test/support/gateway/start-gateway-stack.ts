import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createClient } from "../../../scripts/shared/api-client.ts";
import { type OperatorApi, openLocalOperatorApi } from "../../../scripts/shared/database/operator-api.ts";
import { type StateFolder, stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { type Stack, startStack } from "../../../scripts/local/stack/start-stack.ts";
import { giveMigratedData } from "../stack/migrated-data.ts";

const { signal } = new AbortController();

/** A local stack whose only pool is the gateway. */
export interface GatewayStack {
  readonly folder: string;
  readonly state: StateFolder;
  readonly stack: Stack;
  readonly client: ApiClient;
  readonly api: OperatorApi;
  /** Ends the Worker and starts it again at its address, as a deployment does. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startGatewayStack(
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayStack> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"));
  const stateDir = join(folder, "state");
  const state = stateFolder(stateDir);
  await mkdir(state.path, { recursive: true });
  await giveMigratedData(state);
  const start = (port: number): Promise<Stack> =>
    startStack({
      port,
      stateDir,
      settings: {
        INFERENCE_GATEWAY: "true",
        INFERENCE_ORDER: "gateway",
        RESEND_SECONDS: "5",
        ...settings,
      },
      // The stack starts a service in any case; with this order it gets no task.
      modelFolder: "plain",
      mains: { inference: "inference-container/test/support/service/plain-main.ts" },
      onProgress: () => undefined,
      signal,
    });
  const first = await start(0);
  let running = first;
  return {
    folder,
    state,
    stack: first,
    client: createClient(first),
    api: await openLocalOperatorApi(state),
    restart: async () => {
      await running.stop();
      running = await start(Number(new URL(first.baseUrl).port));
    },
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}
