import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AddedWorker, Workers } from "../../../src/gateway/contract/workers.ts";
import { startInference } from "../../../scripts/local/stack/services.ts";
import type { Child } from "../../../scripts/shared/child.ts";
import type { OperatorApi } from "../../../scripts/shared/database/operator-api.ts";

const FIXTURE = "inference-container/test/support/service/fixture-main.ts";
const { signal } = new AbortController();

/** Adds a worker and returns its token. */
export async function addedToken(api: OperatorApi, name: string): Promise<string> {
  return AddedWorker.parse(await api.call("POST", "/workers", { name })).token;
}

/** Returns the workers as the gateway sees them. */
export const workersOf = async (api: OperatorApi): Promise<Workers["workers"]> =>
  Workers.parse(await api.call("GET", "/workers")).workers;

/** Starts a service with the fixture model that the Worker knows only by its connection to the gateway. */
export async function startWorkerService(
  baseUrl: string,
  folder: string,
  token: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const logs = join(folder, randomUUID());
  await mkdir(logs);
  const { child } = await startInference({
    token,
    modelFolder: "fixture",
    main: FIXTURE,
    origin: baseUrl,
    mark: { GATEWAY_TEST: randomUUID() },
    logs,
    settings: { GATEWAY_URL: baseUrl.replace(/^http/, "ws"), CALLBACK_ORIGINS: "", ...settings },
    onLine: () => undefined,
    signal,
  });
  return child;
}
