import { env, exports } from "cloudflare:workers";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../../src/core/api-key.ts";
import type { Plan } from "../../../src/core/access.ts";
import { newId } from "../../../src/core/ids.ts";

/** An account made for a test, with its secret key. */
export interface Client {
  readonly accountId: string;
  readonly key: string;
  /** Sends a request with the account's key; an object becomes a JSON body. */
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** What came back; `body` is the parsed JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any shape there may be
  readonly body: any;
}

const ORIGIN = "https://api.test";

/** Sends a request as it is. */
export async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await exports.default.fetch(new Request(ORIGIN + path, { method, ...init }));
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}

/** Makes an account with a key. */
export async function newClient(plan: Plan = "paid"): Promise<Client> {
  const accountId = newId("acct");
  const key = generateApiKey();
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
    ).bind(accountId, `${accountId}@example.com`, plan, now),
    env.DB.prepare(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
       VALUES (?1, ?2, 'test', ?3, ?4, ?5, ?5)`,
    ).bind(newId("key"), accountId, apiKeyPrefix(key), await apiKeyDigest(key), now),
  ]);
  return {
    accountId,
    key,
    send: (method, path, body) =>
      send(method, path, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
