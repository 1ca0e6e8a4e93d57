import type { Context, MiddlewareHandler } from "hono";
import { ServiceError } from "../core/errors.ts";
import { authenticate, basicPassword } from "../http/middleware/authenticate.ts";
import { platform, type AppEnv } from "../http/context.ts";
import type { Platform } from "../platform.ts";
import { enter } from "../services/authenticate.ts";
import { needing } from "../services/database-failure.ts";
import type { Account } from "../stores/accounts/accounts.ts";
import type { Batching } from "../stores/d1-store.ts";

/** Whom a bridge serves: what the request of every operation begins with. */
export interface BridgeClient {
  readonly platform: Platform;
  readonly account: Account;
  readonly door: Batching;
  readonly query: undefined;
  readonly body: undefined;
  readonly idempotencyKey: undefined;
  readonly waitSeconds: null;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Lets what was begun run to its end, even if the client disconnects. */
  readonly keep: (work: Promise<unknown>) => void;
}

/**
 * Does something for the account of a credential, within its rate of requests.
 * @throws ServiceError Unauthorized, rate_limited, database_unavailable, and as `act`.
 */
export async function asClient<T>(
  c: Context<AppEnv>,
  credential: string | null | undefined,
  act: (client: BridgeClient) => Promise<T>,
): Promise<T> {
  const caller = await authenticate(c, credential);
  return enter(platform(c), { ...caller, recalled: null }, (account, door) => {
    c.set("account", account);
    const { database } = account;
    const client: BridgeClient = {
      platform: platform(c).at(database),
      account,
      door,
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

/** As `asClient`, for a tool that sends an API key as the password of basic authentication. */
export const asTool = <T>(c: Context<AppEnv>, act: (client: BridgeClient) => Promise<T>): Promise<T> =>
  asClient(c, basicPassword(c), act);

/** Refuses everything as not_found, unless the operator's setting has the bridge. */
export const ifSet =
  (setting: "CVAT" | "LABEL_STUDIO"): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    if (!platform(c).settings[setting]) throw new ServiceError("not_found");
    await next();
  };
