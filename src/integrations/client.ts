import type { Context, MiddlewareHandler } from "hono";
import { ServiceError } from "../shared/errors.ts";
import { accessOf } from "../billing/rules/access.ts";
import { accessRefusal } from "../jobs/rules/admission.ts";
import { boundedBody, holdingMemory } from "../http/bounded-body.ts";
import type { IsSetAside } from "../http/json-structure.ts";
import { authenticate, basicPassword } from "../http/middleware/authenticate.ts";
import { platform, type AppEnv } from "../http/context.ts";
import { type StrictJson, strictJson } from "../http/strict-json.ts";
import type { Platform } from "../platform.ts";
import { boundAccount, enter } from "../accounts/operations/authenticate.ts";
import { needing } from "../shared/storage/database-failure.ts";
import { accessLimitsOf, admissionTermsOf } from "../feature-settings.ts";
import type { Account } from "../accounts/store/accounts.ts";
import type { Batching } from "../shared/storage/d1-store.ts";

/** The client of a bridge: the common part of every operation's request. */
export interface BridgeClient {
  readonly platform: Platform;
  readonly account: Account;
  readonly preflight: Batching;
  readonly query: undefined;
  readonly body: undefined;
  readonly idempotencyKey: string | undefined;
  readonly waitSeconds: null;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Lets work run to its end, even if the client disconnects. */
  readonly keep: (work: Promise<unknown>) => void;
}

/**
 * Runs `act` for the account of a credential, within its rate of requests.
 * @throws ServiceError Unauthorized, rate_limited, database_unavailable, and as `act`.
 */
export async function asClient<T>(
  c: Context<AppEnv>,
  credential: string | null | undefined,
  act: (client: BridgeClient) => Promise<T>,
): Promise<T> {
  const caller = await authenticate(c, credential);
  return enter(platform(c), { ...caller, recalled: null }, (account, preflight) => {
    c.set("account", account);
    const { database } = account;
    const client: BridgeClient = {
      platform: platform(c).at(database),
      account,
      preflight,
      query: undefined,
      body: undefined,
      idempotencyKey: undefined,
      waitSeconds: null,
      gone: c.req.raw.signal,
      keep: (work) => c.executionCtx.waitUntil(work.catch(() => {})),
    };
    return needing<T>(platform(c), database, () => act(client));
  });
}

/** Like `asClient`, for a tool that sends an API key as the password of basic authentication. */
export const asTool = <T>(c: Context<AppEnv>, act: (client: BridgeClient) => Promise<T>): Promise<T> =>
  asClient(c, basicPassword(c), act);

/** Limits for reading a tool's request whose body may be large. */
export interface LargeBody {
  readonly mostBytes: number;
  /** Maximum bytes without the values set aside. */
  readonly mostKept: number;
  /** Selects values that are ignored, or are a picture. */
  readonly isSetAside: IsSetAside;
}

/**
 * Reads a tool's request. Checks the account's access before reading a large body, and counts a body of megabytes as several
 * requests. Holds twice the body's size of memory until `use` ends: a picture goes to the bucket from there.
 * @throws ServiceError payment_required, email_unverified, rate_limited, body_too_large, body_incomplete, invalid_json; as `use`.
 */
export async function withLargeBody<T>(
  c: Context<AppEnv>,
  client: BridgeClient,
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
export function refuseWithoutAccess({ platform: { settings }, account }: BridgeClient): void {
  const access = accessOf(account, accessLimitsOf(settings));
  const refusal = accessRefusal(admissionTermsOf(settings), access);
  if (refusal !== null) throw refusal;
}

/** Refuses all requests as not_found, unless the operator's setting has the bridge. */
export const ifSet =
  (setting: "CVAT" | "LABEL_STUDIO"): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    if (!platform(c).settings[setting]) throw new ServiceError("not_found");
    await next();
  };
