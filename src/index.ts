import { env as bindings } from "cloudflare:workers";
import { createApp } from "./app.ts";
import { observeLines } from "./core/log.ts";
import type { Env } from "./env.ts";
import { platformOf } from "./platform.ts";
import { metricsWriter } from "./stores/analytics.ts";
import { consume } from "./workers/queue-consumer.ts";
import { runScheduled } from "./workers/scheduled.ts";

export { AccountStreams } from "./workers/account-streams.ts";
export { JobObject } from "./workers/job-object.ts";
export { WebhookObject } from "./workers/webhook-object.ts";

observeLines(metricsWriter(bindings.METRICS));

const app = createApp(platformOf);

export default {
  fetch: app.fetch,
  queue: (batch, env) => consume(platformOf(env), batch),
  scheduled: ({ cron }, env) => runScheduled(platformOf(env), cron, Date.now()),
} satisfies ExportedHandler<Env>;
