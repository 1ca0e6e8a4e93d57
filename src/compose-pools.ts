import type { Env } from "./env.ts";
import { GATEWAY } from "./gateway/store/rpc.ts";
import { ContainerPool } from "./models/store/container-pool.ts";
import { InferenceClient, objectNamed, serviceAt } from "./models/store/inference-client.ts";
import type { InferencePool } from "./models/store/inference-pool.ts";
import type { Settings } from "./settings.ts";

/** Returns the pools of inference services of an environment, in the configured order. */
export function composePools(
  settings: Settings,
  env: Partial<Pick<Env, "INFERENCE_CONTAINER" | "GATEWAY">>,
): InferencePool[] {
  const { INFERENCE_URL: url, INFERENCE_TOKEN: token, INFERENCE_ORDER: order } = settings;
  const { INFERENCE_CONTAINER: container, GATEWAY: gateway } = env;
  const pools: Readonly<Record<Settings["INFERENCE_ORDER"][number], () => InferencePool[]>> = {
    url: () =>
      url === undefined || token === undefined ? [] : [new InferenceClient("url", serviceAt(url, token))],
    gateway: () =>
      settings.INFERENCE_GATEWAY && gateway !== undefined
        ? [new InferenceClient("gateway", objectNamed(gateway, GATEWAY))]
        : [],
    container: () =>
      container === undefined ? [] : [new ContainerPool(container, settings.CONTAINER_INSTANCES)],
  };
  return [...new Set(order)].flatMap((name) => pools[name]());
}
