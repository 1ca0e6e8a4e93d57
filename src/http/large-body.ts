import type { Context } from "hono";
import { accessOf } from "../billing/rules/access.ts";
import { boundAccount } from "../accounts/operations/authenticate.ts";
import { accessLimitsOf, admissionTermsOf } from "../feature-settings.ts";
import { accessRefusal } from "../jobs/rules/admission.ts";
import type { Requester } from "../segment/operations/requester.ts";
import { boundedBody, holdingMemory } from "./bounded-body.ts";
import type { AppEnv } from "./context.ts";
import type { IsSetAside } from "./json-structure.ts";
import { type StrictJson, strictJson } from "./strict-json.ts";

/** Limits for reading JSON that may contain a picture. */
export interface LargeBody {
  readonly mostBytes: number;
  /** Maximum bytes without the values set aside. */
  readonly mostKept: number;
  /** Selects values that are ignored, or are a picture. */
  readonly isSetAside: IsSetAside;
}

/**
 * Reads JSON that may contain a picture. Checks the account's access before reading a large body, and counts a body of megabytes as several
 * requests. Holds twice the body's size of memory until `use` ends: a picture goes to the bucket from there.
 * @throws ServiceError payment_required, email_unverified, rate_limited, body_too_large, body_incomplete, invalid_json; as `use`.
 */
export async function withLargeBody<T>(
  c: Context<AppEnv>,
  client: Requester,
  { mostBytes, mostKept, isSetAside }: LargeBody,
  use: (body: StrictJson) => Promise<T>,
): Promise<T> {
  const { accountId } = client.account;
  const { size, read } = await boundedBody(c, mostBytes);
  if (size > mostKept) refuseWithoutAccess(client);
  await boundAccount(client.platform, accountId, Math.floor(size / 1_000_000));
  return holdingMemory(c, accountId, 2 * size, async () =>
    use(strictJson(await read(), isSetAside, mostKept)),
  );
}

/** Refuses an account that may not create jobs. @throws ServiceError payment_required, email_unverified. */
export function refuseWithoutAccess({ platform: { settings }, account }: Requester): void {
  const access = accessOf(account, accessLimitsOf(settings));
  const refusal = accessRefusal(admissionTermsOf(settings), access);
  if (refusal !== null) throw refusal;
}
