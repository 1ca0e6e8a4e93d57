import { createAdaptorServer } from "@hono/node-server";
import { z } from "zod";
import { listen } from "../../../shared/listen.ts";
import { readIfPresent, writePrivateFile } from "../../../shared/state/private-file.ts";
import { createStripeFake } from "./fake.ts";
import { emptyState, StripeState } from "./state.ts";

const settings = z
  .object({
    STRIPE_SECRET_KEY: z.string().min(1),
    STRIPE_WEBHOOK_SECRET: z.string().min(1),
    STRIPE_PRICE_ID: z.string().min(1),
    STRIPE_METER_EVENT: z.string().min(1).default("segmentation_units"),
    WEBHOOK_URL: z.url(),
    STATE_FILE: z.string().min(1),
  })
  .parse(process.env);

const kept = await readIfPresent(settings.STATE_FILE);
const { app, state } = createStripeFake({
  secretKey: settings.STRIPE_SECRET_KEY,
  webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
  priceId: settings.STRIPE_PRICE_ID,
  meterEvent: settings.STRIPE_METER_EVENT,
  webhookUrl: settings.WEBHOOK_URL,
  state: kept === null ? emptyState() : StripeState.parse(JSON.parse(kept)),
});

// The Worker's database keeps its customers across restarts, so the fake must too.
let written = Promise.resolve();
const server = createAdaptorServer({
  fetch: async (request) => {
    const response = await app.fetch(request);
    if (request.method === "POST") {
      written = written.then(() => writePrivateFile(settings.STATE_FILE, JSON.stringify(state)));
      await written;
    }
    return response;
  },
});

// Use the last run's port if it is free, so that open pages survive a restart.
const portFile = `${settings.STATE_FILE}.port`;
const lastPort = z.coerce
  .number()
  .int()
  .min(0)
  .max(65_535)
  .catch(0)
  .parse(await readIfPresent(portFile));
const url = await listen(server, lastPort);
await writePrivateFile(portFile, new URL(url).port);
console.log(JSON.stringify({ msg: "listening", url }));

for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
