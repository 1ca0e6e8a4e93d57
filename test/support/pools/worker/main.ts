/**
 * The local stack's Worker with a second pool: the service at SECOND_INFERENCE_URL in the place of a container. For tests, never
 * deployed.
 */
import { withStorage } from "../../../../scripts/local/stack/workers/with-storage.ts";
import type { Env } from "../../../../src/env.ts";
import service, { JobObject as Job } from "../../../../src/index.ts";
import { serviceAt } from "../../../../src/models/store/inference-client.ts";

export { AccountStreams, InferenceGateway, WebhookObject } from "../../../../src/index.ts";

interface PooledEnv extends Env {
  readonly SECOND_INFERENCE_URL?: string;
  readonly INFERENCE_TOKEN?: string;
}

const environments = new WeakMap<Env, Env>();

/** The same environment for each, because a platform is made once for an environment. */
function withSecond(env: PooledEnv): Env {
  const known = environments.get(env);
  if (known !== undefined) return known;
  const second = serviceAt(env.SECOND_INFERENCE_URL ?? "", env.INFERENCE_TOKEN ?? "");
  const container = {
    getByName: () => ({
      machine: async () => "up",
      wake: async () => undefined,
      fetch: (url: string, init: RequestInit & { headers: Headers }) => second(new URL(url).pathname, init),
    }),
  };
  const pooled: Env = Object.assign({ ...env }, { INFERENCE_CONTAINER: container });
  environments.set(env, pooled);
  return pooled;
}

export class JobObject extends Job {
  constructor(ctx: DurableObjectState, env: PooledEnv) {
    super(ctx, withSecond(env));
  }
}

export default withStorage({
  fetch: (request: Request, env: PooledEnv, context: ExecutionContext) =>
    service.fetch(request, withSecond(env), context),
  queue: (batch: MessageBatch, env: PooledEnv) => service.queue(batch, withSecond(env)),
  scheduled: (controller: ScheduledController, env: PooledEnv) =>
    service.scheduled(controller, withSecond(env)),
});
