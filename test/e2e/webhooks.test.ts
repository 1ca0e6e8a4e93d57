import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CreatedWebhookEndpoint,
  WebhookDeliveryList,
  WebhookEndpointList,
  WebhookEvent,
  type WebhookDelivery,
} from "../../src/webhooks/contract/webhook.ts";
import { type ApiClient, createClient } from "../../scripts/shared/api-client.ts";
import { only, present } from "../support/at.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";
import { MEGABYTES, type Received, WebhookReceiver } from "../support/network/webhook-receiver.ts";

/** Behaviors of endpoints; the last has no listener. */
const PATHS = ["/good", "/slow", "/silent", "/redirect", "/gone", "/megabytes", "dead"] as const;
/** A PNG by its first bytes, and none behind them: its task fails without the model. */
const BROKEN_PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");
const PATIENCE = { timeout: 150_000, interval: 250 };

describe("an account's webhook endpoints, by the real stack and real HTTP", () => {
  let stack: SharedStack;
  let client: ApiClient;
  let receiver: WebhookReceiver;
  const endpoints = new Map<(typeof PATHS)[number], { endpointId: string; secret: string }>();

  const call = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${stack.baseUrl}/v1/webhook-endpoints${path}`, {
      method,
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID(),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const endpointAt = (path: (typeof PATHS)[number]) => present(endpoints.get(path), path);
  const deliveriesOf = async (path: (typeof PATHS)[number]): Promise<WebhookDelivery[]> => {
    const response = await call("GET", `/${endpointAt(path).endpointId}/deliveries`);
    return WebhookDeliveryList.parse(await response.json()).items;
  };
  /** The first attempt at an endpoint, once it has ended. */
  const firstAttempt = async (path: (typeof PATHS)[number]) => {
    const ended = async () => only(await deliveriesOf(path)).attempts[0]?.milliseconds ?? null;
    await expect.poll(ended, PATIENCE).not.toBeNull();
    const { attempts, ...delivery } = only(await deliveriesOf(path));
    return { ...delivery, attempt: present(attempts[0], "an attempt") };
  };
  const verified = (path: (typeof PATHS)[number], { headers, body }: Received) =>
    WebhookEvent.parse(new Webhook(endpointAt(path).secret).verify(body, headers));

  beforeAll(async () => {
    stack = await useSharedStack();
    client = createClient(stack);
    receiver = await WebhookReceiver.start();
    for (const path of PATHS) {
      const url = path === "dead" ? "http://127.0.0.1:9/" : `${receiver.url}${path}`;
      const response = await call("POST", "", { url, events: ["job.failed"] });
      const { endpoint, secret } = CreatedWebhookEndpoint.parse(await response.json());
      endpoints.set(path, { endpointId: endpoint.endpointId, secret: present(secret, "secret") });
    }
  });
  afterAll(() => receiver.stop());

  it("refuses every other address of the machine and its network", async () => {
    for (const url of ["http://localhost:9/", "http://10.0.0.1/", "https://127.0.0.1/", stack.baseUrl]) {
      const response = await call("POST", "", { url });
      expect([response.status, await response.json()]).toMatchObject([400, { error: "url_forbidden" }]);
    }
  });

  it("is notified by signed requests that the package standardwebhooks verifies, and by no redirected or unanswered one [A3-14 A3-16 A3-21]", async () => {
    const taskId = await client.upload(BROKEN_PNG, "image/png");
    const { jobId } = await client.createImageJob({ tasks: [taskId], prompts: ["cat"] });
    const job = await client.waitForJob(jobId);
    expect(job.status).toBe("failed");

    for (const path of ["/good", "/slow", "/megabytes"] as const) {
      const { deliveryId, status, event } = await firstAttempt(path);
      expect({ path, status, event }).toEqual({
        path,
        status: "succeeded",
        event: { type: "job.failed", timestamp: expect.any(String), data: job },
      });
      // It is noted in the turn of the job's end, which may be a millisecond later.
      expect(Date.parse(event.timestamp) - Date.parse(job.updatedAt)).toBeLessThan(1_000);
      const request = only(receiver.at(path));
      expect(verified(path, request)).toEqual(event);
      expect(request.headers["webhook-id"]).toBe(deliveryId);
    }
    expect(receiver.megabytesTaken, "what the sockets hold, and no more").toBeLessThan(MEGABYTES / 2);

    expect(await firstAttempt("/redirect")).toMatchObject({ status: "pending", attempt: { status: 307 } });
    expect(await firstAttempt("dead")).toMatchObject({
      status: "pending",
      attempt: { status: null, error: "unreachable" },
    });
    expect(await firstAttempt("/gone")).toMatchObject({ attempt: { status: 410 } });
    const list = WebhookEndpointList.parse(await (await call("GET", "")).json());
    const disabled = list.items.filter((endpoint) => endpoint.disabled);
    expect(disabled).toMatchObject([{ endpointId: endpointAt("/gone").endpointId, disabledReason: "gone" }]);
    // By now the others have long been notified.
    expect(await firstAttempt("/silent")).toMatchObject({ attempt: { status: null, error: "timeout" } });
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(receiver.at("/good")).toHaveLength(1);
  });

  it("retries a dead endpoint by itself after five seconds", async () => {
    await expect.poll(async () => only(await deliveriesOf("dead")).attempts.length, PATIENCE).toBe(2);
  });
});
