import { CreatedApiKey } from "../../../../src/accounts/contract/api-key.ts";
import type { Answer, Client } from "./api.ts";

export const createKey = (
  client: Client,
  body: unknown,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<Answer> => client.send("POST", "/v1/api-keys", body, { "idempotency-key": idempotencyKey });

/** A new key of the account, with its secret. */
export async function newKey(client: Client, label: string): Promise<CreatedApiKey & { secret: string }> {
  const { status, body } = await createKey(client, { label });
  const created = CreatedApiKey.parse(body);
  const { secret } = created;
  if (status !== 201 || secret === undefined) throw new Error(`createApiKey answered ${status}`);
  return { ...created, secret };
}
