import { Stripe } from "stripe";
import { eventObject } from "./objects.ts";
import { newStripeId, nowSeconds } from "./state.ts";
import type { Happening } from "./subscriptions.ts";

/** The waits before further attempts, in milliseconds. Stripe itself tries for three days. */
const WAITS_MS = [1_000, 3_000, 10_000, 30_000];
const TIMEOUT_MS = 10_000;

export interface WebhookOptions {
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** Sends a request; the global `fetch` by default. */
  readonly send: (request: Request) => Promise<Response>;
}

/** Sends signed events, and repeats each until the receiver accepts it. */
export class Webhooks {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Resolves once each event has been tried; those that were not accepted are repeated in the background. */
  async deliver(happenings: readonly Happening[]): Promise<void> {
    for (const { type, object } of happenings) {
      const payload = JSON.stringify(eventObject(newStripeId("evt"), type, nowSeconds(), object));
      if (!(await this.#try(payload))) void this.#tryAgain(payload);
    }
  }

  async #tryAgain(payload: string): Promise<void> {
    for (const wait of WAITS_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (await this.#try(payload)) return;
    }
  }

  async #try(payload: string): Promise<boolean> {
    try {
      // Sign again for each attempt, because the signature's time must be recent.
      const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: this.#options.webhookSecret,
        cryptoProvider: Stripe.createSubtleCryptoProvider(),
      });
      const response = await this.#options.send(
        new Request(this.#options.webhookUrl, {
          method: "POST",
          headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
          body: payload,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        }),
      );
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}
