import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import { sweepUploads } from "./services/sweep-uploads.ts";
import { platformOf } from "./stores/platform.ts";
import { consume } from "./workers/queue-consumer.ts";

export { JobObject } from "./workers/job-object.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  queue: (batch, env) => consume(platformOf(env), batch),
  scheduled: async (_controller, env) => {
    await sweepUploads(platformOf(env), Date.now());
  },
} satisfies ExportedHandler<Env>;
