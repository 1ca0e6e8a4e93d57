import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import {
  CreatedWebhookEndpoint,
  WebhookDeliveryList,
  WebhookEvent,
  type WebhookDelivery,
} from "../../../../src/webhooks/contract/webhook.ts";
import { WebhookObject } from "../../../../src/webhooks/object/webhook-object.ts";
import type { Answer, Client } from "../client/api.ts";
import { later } from "../runtime/time.ts";

const DAY = 86_400_000;

/** An endpoint of a test's account, with its secret. */
export interface TestEndpoint {
  readonly endpointId: string;
  readonly url: string;
  readonly secret: string;
}

export const createEndpoint = (
  client: Client,
  body: unknown,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<Answer> =>
  client.send("POST", "/v1/webhook-endpoints", body, { "idempotency-key": idempotencyKey });

export async function newEndpoint(
  client: Client,
  url = "https://receiver.test/hook",
  changes: object = {},
): Promise<TestEndpoint> {
  const { status, body } = await createEndpoint(client, { url, ...changes });
  if (status !== 201) throw new Error(`createWebhookEndpoint answered ${status} ${JSON.stringify(body)}`);
  const { endpoint, secret } = CreatedWebhookEndpoint.parse(body);
  if (secret === undefined) throw new Error("the secret is missing");
  return { endpointId: endpoint.endpointId, url, secret };
}

/** A request that an endpoint received. */
export interface ReceivedRequest {
  readonly url: string;
  readonly at: number;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: string;
}

type Answering = (signal: AbortSignal) => Response | Promise<Response>;

/** The endpoints behind the Worker's fetch, by URL: each answers 204 by default. Other requests continue as before. */
export class FakeEndpoints {
  readonly received: ReceivedRequest[] = [];
  readonly #answers = new Map<string, Answering>();
  readonly #urls: ReadonlySet<string>;

  /** Stops the clock until a test moves it, so that no alarm goes off by itself. */
  constructor(...endpoints: readonly TestEndpoint[]) {
    this.#urls = new Set(endpoints.map(({ url }) => url));
    later(DAY);
    const before = vi.isMockFunction(globalThis.fetch) ? vi.mocked(fetch).getMockImplementation() : undefined;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      if (!this.#urls.has(request.url)) {
        if (before === undefined) throw new Error(`a test reached for ${request.url}`);
        return before(input, init);
      }
      const { url, method, redirect } = request;
      const headers = Object.fromEntries(request.headers);
      this.received.push({ url, method, redirect, headers, at: Date.now(), body: await request.text() });
      return (this.#answers.get(url) ?? (() => new Response(null, { status: 204 })))(request.signal);
    });
  }

  /** Sets an endpoint's answer from now on. */
  answer({ url }: TestEndpoint, answer: Answering): void {
    this.#answers.set(url, answer);
  }

  /** Returns the requests that an endpoint received. */
  of({ url }: TestEndpoint): ReceivedRequest[] {
    return this.received.filter((request) => request.url === url);
  }
}

/** The event of a request, if the package `standardwebhooks` verifies it by the secret. @throws if it does not */
export const verified = (secret: string, { headers, body }: ReceivedRequest): WebhookEvent =>
  WebhookEvent.parse(new Webhook(secret).verify(body, headers));

/** Lets an endpoint's alarm go off now. Returns true if one was set. */
export const ringEndpoint = ({ endpointId }: TestEndpoint): Promise<boolean> =>
  runDurableObjectAlarm(env.WEBHOOKS.getByName(endpointId));

/** Lets it go off in a Worker with other settings. */
export const ringEndpointWith = ({ endpointId }: TestEndpoint, settings: object): Promise<void> =>
  runInDurableObject(env.WEBHOOKS.getByName(endpointId), (_, state) =>
    new WebhookObject(state, Object.assign({}, env, settings)).alarm(),
  );

export async function deliveriesOf(client: Client, { endpointId }: TestEndpoint): Promise<WebhookDelivery[]> {
  const { body } = await client.send("GET", `/v1/webhook-endpoints/${endpointId}/deliveries?limit=100`);
  return WebhookDeliveryList.parse(body).items;
}

/** Sends a test event to an endpoint, without an attempt yet. */
export async function sendTest(client: Client, { endpointId }: TestEndpoint): Promise<WebhookDelivery> {
  const { status, body } = await client.send("POST", `/v1/webhook-endpoints/${endpointId}/test`);
  if (status !== 202) throw new Error(`testWebhookEndpoint answered ${status}`);
  return body;
}
