import type { Env } from "./env.ts";
import { InferenceClient, objectNamed, serviceAt } from "./models/store/inference-client.ts";
import type { InferencePool } from "./models/store/inference-pool.ts";
import type { Settings } from "./settings.ts";

/** Returns the pools of inference services of an environment, in the configured order. */
export function composePools(settings: Settings, env: Pick<Env, "INFERENCE_CONTAINER">): InferencePool[] {
  const { INFERENCE_URL: url, INFERENCE_TOKEN: token, INFERENCE_ORDER: order } = settings;
  const { INFERENCE_CONTAINER: container } = env;
  const pools: Readonly<Record<Settings["INFERENCE_ORDER"][number], () => InferencePool[]>> = {
    url: () =>
      url === undefined || token === undefined ? [] : [new InferenceClient("url", serviceAt(url, token))],
    container: () =>
      container === undefined ? [] : [new InferenceClient("container", objectNamed(container, "0"))],
  };
  return [...new Set(order)].flatMap((name) => pools[name]());
}
