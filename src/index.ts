import { env as bindings } from "cloudflare:workers";
import { createApp } from "./app.ts";
import { observeLines } from "./shared/log.ts";
import type { Env } from "./env.ts";
import { platformOf } from "./platform.ts";
import { metricsWriter } from "./runtime/analytics.ts";
import { consume } from "./runtime/queue-consumer.ts";
import { runScheduled } from "./runtime/scheduled.ts";

/** The class of containers refuses to find a machine that already runs without it. */
export { ContainerProxy } from "@cloudflare/containers";
export { AccountStreams } from "./jobs/object/account-streams.ts";
export { InferenceGateway } from "./gateway/object/inference-gateway.ts";
export { JobObject } from "./jobs/object/job-object.ts";
export { InferenceContainer } from "./models/object/inference-container.ts";
export { WebhookObject } from "./webhooks/object/webhook-object.ts";

observeLines(metricsWriter(bindings.METRICS));

const app = createApp(platformOf);

export default {
  fetch: app.fetch,
  queue: (batch, env) => consume(platformOf(env), batch),
  scheduled: ({ cron }, env) => runScheduled(platformOf(env), cron, Date.now()),
} satisfies ExportedHandler<Env>;
