import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../../../src/accounts/rules/api-key.ts";
import type { Plan } from "../../../../src/billing/rules/access.ts";
import { newId } from "../../../../src/shared/ids.ts";
import worker from "../../../../src/index.ts";
import { enterAccount, home } from "../runtime/databases.ts";
import { EventReader } from "../../event-stream.ts";

/** An account made for a test, with its secret key. */
export interface Client {
  readonly accountId: string;
  readonly key: string;
  /** Sends a request with the account's key; an object becomes a JSON body. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A response; `body` is the parsed JSON, or the data of the first event of a stream. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any shape there may be
  readonly body: any;
  /** The header Idempotent-Replayed. */
  readonly replayed: string | null;
}

const ORIGIN = "https://api.test";

export const fetchWorker = async (request: Request): Promise<Response> =>
  worker.fetch(request, env, createExecutionContext());

/** Returns a response's body, or the data of the first event of a stream, which may continue. */
async function bodyOf(response: Response): Promise<unknown> {
  if (response.headers.get("content-type") === "text/event-stream" && response.body !== null) {
    const events = new EventReader(response.body);
    const first = await events.next();
    await events.cancel();
    return first?.data;
  }
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

export async function answerOf(response: Response): Promise<Answer> {
  const body = await bodyOf(response);
  const { status, headers } = response;
  return { status, headers, body, replayed: headers.get("idempotent-replayed") };
}

/** Sends a request unchanged. */
export const send = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> =>
  answerOf(await fetchWorker(new Request(ORIGIN + path, { method, ...init })));

/** Creates an account with a verified e-mail address and a key. */
export async function newClient(plan: Plan = "paid"): Promise<Client> {
  const accountId = newId("acct");
  const key = generateApiKey();
  const now = Date.now();
  await home.DB.batch([
    home.DB.prepare(
      "INSERT INTO accounts (id, email, email_verified, plan, created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?4, ?4)",
    ).bind(accountId, `${accountId}@example.com`, plan, now),
    home.DB.prepare(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
       VALUES (?1, ?2, 'test', ?3, ?4, ?5, ?5)`,
    ).bind(newId("key"), accountId, apiKeyPrefix(key), await apiKeyDigest(key), now),
  ]);
  await enterAccount(accountId, await apiKeyDigest(key));
  return {
    accountId,
    key,
    send: (method, path, body, headers) =>
      send(method, path, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
