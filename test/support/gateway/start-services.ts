import { randomBytes, randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AddedWorker, Workers } from "../../../src/gateway/contract/workers.ts";
import { startInference } from "../../../scripts/local/stack/services.ts";
import type { Child } from "../../../scripts/shared/child.ts";
import type { OperatorApi } from "../../../scripts/shared/database/operator-api.ts";

/** Settings of a service without a queue. */
export const ONE_TASK = { QUEUE_CAPACITY: "1", IN_FLIGHT: "1" };
const { signal } = new AbortController();

/** Adds a worker and returns its token. */
export async function addedToken(api: OperatorApi, name: string): Promise<string> {
  return AddedWorker.parse(await api.call("POST", "/workers", { name })).token;
}

/** Returns the workers as the gateway sees them. */
export const workersOf = async (api: OperatorApi): Promise<Workers["workers"]> =>
  Workers.parse(await api.call("GET", "/workers")).workers;

/** A service that the Worker reaches at a URL. */
export interface ServiceAtUrl {
  readonly url: string;
  readonly token: string;
  readonly child: Child;
}

/** Starts a service with one of the models for tests. */
async function start(
  origin: string,
  folder: string,
  token: string,
  model: "plain" | "fixture",
  settings: Readonly<Record<string, string>>,
): Promise<ServiceAtUrl> {
  const logs = join(folder, randomUUID());
  await mkdir(logs);
  const started = await startInference({
    token,
    modelFolder: model,
    main: `inference-container/test/support/service/${model}-main.ts`,
    origin,
    mark: { GATEWAY_TEST: randomUUID() },
    logs,
    settings,
    onLine: () => undefined,
    signal,
  });
  return { ...started, token };
}

/** Starts a service whose model draws no regions, with one task at a time. */
export const startServiceAtUrl = (origin: string, folder: string): Promise<ServiceAtUrl> =>
  start(origin, folder, randomBytes(24).toString("hex"), "plain", ONE_TASK);

/** Starts a service with the fixture model that the Worker knows only by its connection to the gateway. */
export const startWorkerService = (
  baseUrl: string,
  folder: string,
  token: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServiceAtUrl> =>
  start(baseUrl, folder, token, "fixture", {
    GATEWAY_URL: baseUrl.replace(/^http/, "ws"),
    CALLBACK_ORIGINS: "",
    ...settings,
  });
