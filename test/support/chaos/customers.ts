import sharp from "sharp";
import { createClient } from "../../../scripts/shared/api-client.ts";
import type { StackAddress } from "../../../scripts/shared/state/state-folder.ts";
import { signIn } from "../../../scripts/operate/sign-in.ts";
import { Account, AccountOverview } from "../../../src/accounts/contract/account.ts";
import { present } from "../at.ts";
import { sample } from "../media/sample.ts";
import { BillingUrl } from "../../../src/billing/contract/billing.ts";
import { expect, vi } from "vitest";
import { z } from "zod";

/** A paying account with its uploads. */
export interface Customer {
  readonly email: string;
  readonly accountId: string;
  readonly apiKey: string;
  readonly taskIds: readonly string[];
}

const CreatedKey = z.object({ secret: z.string() });

/** A request with a new Idempotency-Key. */
const call = (url: string, credential: string, method = "GET", body?: object): Promise<Response> =>
  fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${credential}`,
      "idempotency-key": crypto.randomUUID(),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Returns the account of a credential, and its access mode. */
export async function whoIs(
  baseUrl: string,
  credential: string,
): Promise<{ accountId: string; mode: string }> {
  const { accountId } = Account.parse(await (await call(`${baseUrl}/v1/account`, credential)).json());
  const overview = await (await call(`${baseUrl}/v1/account/overview`, credential)).json();
  return { accountId, mode: AccountOverview.parse(overview).access.mode };
}

/** Signs in as a new person, subscribes at Stripe's fake, and uploads pictures of at most `width` pixels. */
export async function newCustomer(stack: StackAddress, email: string, width: number): Promise<Customer> {
  const { baseUrl } = stack;
  const token = await signIn(present(stack.identityUrl, "identityUrl"), email);
  const { accountId } = await whoIs(baseUrl, token);
  const { url } = BillingUrl.parse(
    await (await call(`${baseUrl}/v1/billing/checkout`, token, "POST")).json(),
  );
  expect((await fetch(url, { method: "POST", redirect: "manual" })).status).toBe(303);
  await vi.waitUntil(async () => (await whoIs(baseUrl, token)).mode === "paid", {
    timeout: 30_000,
    interval: 200,
  });
  const created = await call(`${baseUrl}/v1/api-keys`, token, "POST", { label: "chaos" });
  const { secret: apiKey } = CreatedKey.parse(await created.json());
  const client = createClient({ baseUrl, apiKey });
  const taskIds: string[] = [];
  for (const name of ["chelsea", "coffee", "astronaut"] as const) {
    const picture = await sharp(sample(name)).resize({ width, withoutEnlargement: true }).png().toBuffer();
    taskIds.push(await client.upload(new Uint8Array(picture), "image/png"));
  }
  return { email, accountId, apiKey, taskIds };
}
