import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { RETRY_DELAYS_MS } from "../../../src/webhooks/rules/delivery.ts";
import { WebhookStorage } from "../../../src/webhooks/store/storage.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { amount } from "../../support/worker/client/random.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { newEndpoint, FakeEndpoints, ringEndpoint } from "../../support/worker/fakes/webhooks.ts";

const MINUTE = 60_000;
const DOWN_MINUTES = 120;
/** In the long form three events per second. */
const EVERY_MINUTES = amount({ short: 3, long: 1 });
const EVENTS_AT_ONCE = amount({ short: 2, long: 180 });
const EVENTS = (DOWN_MINUTES / EVERY_MINUTES) * EVENTS_AT_ONCE;

describe(`an endpoint that is down for two hours, in which ${EVENTS} events happen`, () => {
  it("receives each of them eventually, under its webhook-id and with the same bytes [A3-15 A3-22]", async () => {
    const endpoint = await newEndpoint(await newClient());
    const endpoints = new FakeEndpoints(endpoint);
    const lost: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line) => {
      if (String(line).includes("webhook_deliveries_dropped")) lost.push(String(line));
    });
    const object = env.WEBHOOKS.getByName(endpoint.endpointId);
    const undelivered = () =>
      runInDurableObject(object, (_, { storage }) => new WebhookStorage(storage).undelivered.deliveries);

    endpoints.answer(endpoint, () => {
      throw new Error("Network connection lost.");
    });
    const bodies = new Map<string, string>();
    for (let minute = 0; minute < DOWN_MINUTES; minute += EVERY_MINUTES) {
      for (let i = 0; i < EVENTS_AT_ONCE; i += 1) {
        const id = `evt_${minute}_${i}`;
        const body = JSON.stringify({ type: "job.succeeded", data: { id, text: "x".repeat(900) } });
        const event = { id, type: "job.succeeded", at: Date.now(), body } as const;
        await object.receive(endpoint.endpointId, event, home.name);
        bodies.set(id, body);
      }
      await ringEndpoint(endpoint);
      later(EVERY_MINUTES * MINUTE);
      // Drops the failed requests and their lines, of which there are hundreds of thousands.
      endpoints.received.length = 0;
      log.mockClear();
    }
    expect(await undelivered()).toBe(EVENTS);

    endpoints.answer(endpoint, () => new Response(null, { status: 204 }));
    for (const delay of RETRY_DELAYS_MS.slice(0, 5)) {
      later(1.1 * delay);
      await ringEndpoint(endpoint);
    }
    expect(await undelivered()).toBe(0);
    expect(endpoints.received).toHaveLength(EVENTS);
    const received = new Map(
      endpoints.received.map(({ headers, body }) => [headers["webhook-id"] ?? "", body]),
    );
    expect(received.size).toBe(EVENTS);
    for (const [id, body] of bodies) expect(received.get(id), id).toBe(body);
    expect(lost).toEqual([]);
  }, 3_600_000);
});
