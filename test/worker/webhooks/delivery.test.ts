import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RETRY_DELAYS_MS } from "../../../src/webhooks/rules/delivery.ts";
import { WebhookObject } from "../../../src/index.ts";
import { at, only } from "../../support/at.ts";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { later } from "../../support/worker/runtime/time.ts";
import {
  deliveriesOf,
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
  type TestEndpoint,
  verified,
} from "../../support/worker/fakes/webhooks.ts";
import {
  alarmOf,
  delivery,
  due,
  objectOf,
  shownEndpoint,
} from "../../support/worker/fixtures/webhook-endpoint.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

let client: Client;
let endpoint: TestEndpoint;
let endpoints: FakeEndpoints;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
  endpoints = new FakeEndpoints(endpoint);
});

const answers = (status: number, headers: Record<string, string> = {}) =>
  endpoints.answer(endpoint, () => new Response(null, { status, headers }));

describe("an attempt", () => {
  it("is a POST of JSON with the specification's headers, signed for its own time; redirects are not followed [A3-14]", async () => {
    const { deliveryId, event } = await sendTest(client, endpoint);
    answers(500);
    await ringEndpoint(endpoint);
    await due(client, endpoint);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(2);
    const times = endpoints.received.map((request) => {
      expect(request).toMatchObject({ method: "POST", redirect: "manual" });
      expect(request.headers).toMatchObject({
        "content-type": "application/json",
        "webhook-id": deliveryId,
        "webhook-timestamp": String(Math.floor(request.at / 1_000)),
        "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      });
      // The package refuses a signature that is more than five minutes old, by its own clock.
      vi.setSystemTime(request.at);
      expect(verified(endpoint.secret, request)).toEqual(event);
      return request.at;
    });
    expect(at(times, 1) - at(times, 0)).toBeGreaterThanOrEqual(5 * SECOND);
  });

  it("succeeds with any status from 200 to 299 [A3-16]", async () => {
    for (const status of [200, 201, 204, 299]) {
      await sendTest(client, endpoint);
      answers(status);
      await ringEndpoint(endpoint);
      const succeeded = { status: "succeeded", nextAttemptAt: null, attempts: [{ status }] };
      expect(await delivery(client, endpoint)).toMatchObject(succeeded);
    }
  });

  it("fails with a redirect, which is not followed [A3-16]", async () => {
    for (const status of [301, 302, 307, 308]) {
      const sent = endpoints.received.length;
      await sendTest(client, endpoint);
      answers(status, { location: "https://receiver.test/elsewhere" });
      await ringEndpoint(endpoint);
      expect(await delivery(client, endpoint)).toMatchObject({
        status: "pending",
        attempts: [{ status, error: null }],
      });
      expect(endpoints.received).toHaveLength(sent + 1);
    }
  });

  it("that gets no response within 15 seconds fails with a timeout [A3-16]", async () => {
    await sendTest(client, endpoint);
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date", "setTimeout", "clearTimeout"] });
    endpoints.answer(endpoint, (signal) => {
      vi.advanceTimersByTime(15 * SECOND - 1);
      expect(signal.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      signal.throwIfAborted();
      throw new Error("it waits for longer");
    });
    await ringEndpoint(endpoint);
    later(0);
    expect(only((await delivery(client, endpoint)).attempts)).toMatchObject({
      status: null,
      milliseconds: 15 * SECOND,
      error: "timeout",
    });
  });

  it("fails as unreachable without a listener", async () => {
    await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => {
      throw new Error("Network connection lost.");
    });
    await ringEndpoint(endpoint);
    expect(only((await delivery(client, endpoint)).attempts)).toMatchObject({
      status: null,
      error: "unreachable",
    });
  });

  it("reads nothing of a body of megabytes: it is canceled [A3-16]", async () => {
    let pulled = 0;
    let cancelled = false;
    const megabyte = new Uint8Array(1_000_000);
    await sendTest(client, endpoint);
    endpoints.answer(
      endpoint,
      () =>
        new Response(
          new ReadableStream(
            {
              pull: (controller) => {
                pulled += 1;
                controller.enqueue(megabyte);
              },
              cancel: () => {
                cancelled = true;
              },
            },
            { highWaterMark: 0 },
          ),
        ),
    );
    await ringEndpoint(endpoint);
    expect({ pulled, cancelled }).toEqual({ pulled: 0, cancelled: true });
    expect((await delivery(client, endpoint)).status).toBe("succeeded");
  });

  it("is recorded before it is made: an interrupted one counts, and the next has the same id [A3-17]", async () => {
    const { deliveryId } = await sendTest(client, endpoint);
    // A run that never ends.
    const forEver = new Promise<Response>(() => {});
    endpoints.answer(endpoint, () => forEver);
    await runInDurableObject(objectOf(endpoint), async (_, state) => {
      void new WebhookObject(state, env).alarm();
      await vi.waitFor(() => expect(endpoints.received).toHaveLength(1));
    });
    expect(only((await delivery(client, endpoint)).attempts)).toMatchObject({
      status: null,
      milliseconds: null,
    });
    expect(await alarmOf(endpoint)).not.toBeNull();

    answers(204);
    await due(client, endpoint);
    await ringEndpoint(endpoint);
    expect(only((await delivery(client, endpoint)).attempts)).toMatchObject({
      status: null,
      error: "interrupted",
    });
    await due(client, endpoint);
    await ringEndpoint(endpoint);
    expect(await delivery(client, endpoint)).toMatchObject({ status: "succeeded", attempts: { length: 2 } });
    expect(endpoints.received.map(({ headers }) => headers["webhook-id"])).toEqual([deliveryId, deliveryId]);
  });

  /**
   * Returns the maximum number of an endpoint's concurrent requests while it received this many events and answered each with
   * `status`.
   */
  async function mostOpen(status: number, events: number): Promise<number> {
    for (let i = 0; i < events; i += 1) await sendTest(client, endpoint);
    let open = 0;
    let most = 0;
    endpoints.answer(endpoint, async () => {
      open += 1;
      most = Math.max(most, open);
      // Long enough for the others of the same width to begin, even on a busy machine.
      await scheduler.wait(100);
      open -= 1;
      return new Response(null, { status });
    });
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(events);
    return most;
  }

  it("is one of six at a time while the endpoint keeps up, as many as an invocation has connections [A3-19]", async () => {
    expect(await mostOpen(200, 26)).toBe(6);
    expect((await deliveriesOf(client, endpoint)).every(({ status }) => status === "succeeded")).toBe(true);
  });

  it("is one of two at a time, and soon the only one, while the endpoint fails [A3-19]", async () => {
    expect(await mostOpen(503, 8)).toBe(2);
  });

  it("leaves neither the URL nor a secret in the log", async () => {
    const lines = logged();
    await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => {
      throw new Error(`cannot connect to ${endpoint.url}`);
    });
    await ringEndpoint(endpoint);
    const text = JSON.stringify(lines());
    expect(text).toContain("webhook_attempted");
    expect(text).not.toContain("receiver.test");
    expect(text).not.toContain(endpoint.secret.slice(6));
  });
});

describe("a dead endpoint", () => {
  it("is tried as planned, with jitter, ten times in all; then the delivery has failed, and may be tried by hand [A3-17]", async () => {
    await sendTest(client, endpoint);
    answers(503);
    const waits: number[] = [];
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await ringEndpoint(endpoint);
      expect(endpoints.received).toHaveLength(attempts);
      waits.push(await due(client, endpoint));
    }
    for (const [i, wait] of waits.entries()) {
      const planned = at(RETRY_DELAYS_MS, i);
      expect(wait).toBeGreaterThanOrEqual(planned);
      expect(wait).toBeLessThanOrEqual(1.1 * planned);
    }
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(10);
    expect(await delivery(client, endpoint)).toMatchObject({ status: "failed", nextAttemptAt: null });
  });

  it("is not tried before its time, for any number of alarms", async () => {
    await sendTest(client, endpoint);
    answers(503);
    await ringEndpoint(endpoint);
    await ringEndpoint(endpoint);
    later(4_999);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(1);
  });

  it("is disabled five days after its first failure, even if nothing was to be sent then; the overview says why [A3-18]", async () => {
    await sendTest(client, endpoint);
    answers(503);
    await ringEndpoint(endpoint);
    later(5 * DAY - 1);
    await ringEndpoint(endpoint);
    expect((await shownEndpoint(client, endpoint)).disabled).toBe(false);
    later(1);
    await ringEndpoint(endpoint);
    expect(await shownEndpoint(client, endpoint)).toMatchObject({
      disabled: true,
      disabledReason: "no_success",
      disabledAt: new Date().toISOString(),
    });
    const sent = endpoints.received.length;
    later(DAY);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(sent);
  });

  it("is not disabled if one success came in between, or if it was enabled in between [A3-18]", async () => {
    await sendTest(client, endpoint);
    answers(503);
    await ringEndpoint(endpoint);
    later(4 * DAY);
    answers(200);
    await ringEndpoint(endpoint);
    answers(503);
    await sendTest(client, endpoint);
    await ringEndpoint(endpoint);
    later(4 * DAY);
    await ringEndpoint(endpoint);
    expect((await shownEndpoint(client, endpoint)).disabled).toBe(false);
    for (const disabled of [true, false])
      await client.send("PATCH", `/v1/webhook-endpoints/${endpoint.endpointId}`, { disabled });
    later(DAY);
    await ringEndpoint(endpoint);
    expect((await shownEndpoint(client, endpoint)).disabled).toBe(false);
  });

  it("that answers 410 is disabled at once, and what waits is not sent until it is enabled [A3-18]", async () => {
    for (let i = 0; i < 3; i += 1) await sendTest(client, endpoint);
    answers(410);
    await ringEndpoint(endpoint);
    expect(await shownEndpoint(client, endpoint)).toMatchObject({ disabled: true, disabledReason: "gone" });
    const sent = endpoints.received.length;
    later(DAY);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(sent);

    answers(200);
    await client.send("PATCH", `/v1/webhook-endpoints/${endpoint.endpointId}`, { disabled: false });
    await ringEndpoint(endpoint);
    expect((await deliveriesOf(client, endpoint)).map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });
});
