import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createClient } from "../../../scripts/shared/api-client.ts";
import { type OperatorApi, openLocalOperatorApi } from "../../../scripts/shared/database/operator-api.ts";
import { claimPort } from "../../../scripts/shared/port.ts";
import { type StateFolder, stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { type Stack, startStack } from "../../../scripts/local/stack/start-stack.ts";
import { giveMigratedData } from "../stack/migrated-data.ts";
import { type ServiceAtUrl, startServiceAtUrl } from "./start-services.ts";

const { signal } = new AbortController();

/** A local stack with a service at a URL, and the gateway. */
export interface GatewayStack {
  readonly folder: string;
  readonly state: StateFolder;
  readonly stack: Stack;
  /** The service at the URL, with a model that draws no regions. */
  readonly plain: ServiceAtUrl;
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
  const port = await claimPort(0);
  const plain = await startServiceAtUrl(`http://127.0.0.1:${port}`, folder);
  const start = (): Promise<Stack> =>
    startStack({
      port,
      stateDir,
      settings: {
        INFERENCE_URL: plain.url,
        INFERENCE_TOKEN: plain.token,
        INFERENCE_GATEWAY: "true",
        RESEND_SECONDS: "5",
        ...settings,
      },
      onProgress: () => undefined,
      signal,
    });
  const stack = await start();
  let running = stack;
  return {
    folder,
    state,
    stack,
    plain,
    client: createClient(stack),
    api: await openLocalOperatorApi(state),
    restart: async () => {
      await running.stop();
      running = await start();
    },
    stop: async () => {
      await running.stop();
      await plain.child.stop(2_000);
      await rm(folder, { recursive: true });
    },
  };
}
