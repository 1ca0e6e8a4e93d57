import { Hono } from "hono";
import { createApi, type ApiOptions } from "./api.ts";
import { createPages } from "./pages.ts";
import { emptyState, type StripeState } from "./state.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Webhooks, type WebhookOptions } from "./webhooks.ts";

export interface StripeFakeOptions extends ApiOptions, Omit<WebhookOptions, "send"> {
  /** The initial state; empty by default. */
  readonly state?: StripeState;
  /** Sends webhooks; the global `fetch` by default. */
  readonly send?: WebhookOptions["send"];
}

/** A fake for Stripe: a fetch handler, and its parts for tests to inspect and change. */
export interface StripeFake {
  readonly app: Hono;
  readonly state: StripeState;
  readonly subscriptions: Subscriptions;
  readonly webhooks: Webhooks;
}

/** Creates a fake for Stripe: the API under /v1, the checkout and the portal as pages, webhooks to the Worker. */
export function createStripeFake(options: StripeFakeOptions): StripeFake {
  const { state = emptyState(), send = (request: Request) => fetch(request) } = options;
  const subscriptions = new Subscriptions(state, options.priceId);
  const webhooks = new Webhooks({ ...options, send });
  const app = new Hono().route("/v1", createApi(options, state, subscriptions)).route(
    "/",
    createPages(state, subscriptions, (happenings) => webhooks.deliver(happenings)),
  );
  return { app, state, subscriptions, webhooks };
}
