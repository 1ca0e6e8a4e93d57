import type { Context, MiddlewareHandler } from "hono";
import { ServiceError } from "../shared/errors.ts";
import { authenticate, basicPassword } from "../http/middleware/authenticate.ts";
import { platform, type AppEnv } from "../http/context.ts";
import { enter } from "../accounts/operations/authenticate.ts";
import { needing } from "../shared/storage/database-failure.ts";
import type { Requester } from "../segment/operations/requester.ts";

/**
 * Runs `act` for the account of a credential, within its rate of requests.
 * @throws ServiceError Unauthorized, rate_limited, database_unavailable, and as `act`.
 */
export async function asClient<T>(
  c: Context<AppEnv>,
  credential: string | null | undefined,
  act: (client: Requester) => Promise<T>,
): Promise<T> {
  const caller = await authenticate(c, credential);
  return enter(platform(c), { ...caller, recalled: null }, (account, preflight) => {
    c.set("account", account);
    const { database } = account;
    const client: Requester = {
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
export const asTool = <T>(c: Context<AppEnv>, act: (client: Requester) => Promise<T>): Promise<T> =>
  asClient(c, basicPassword(c), act);

/** Refuses all requests as not_found, unless the operator's setting has the bridge. */
export const ifSet =
  (setting: "CVAT" | "LABEL_STUDIO"): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    if (!platform(c).settings[setting]) throw new ServiceError("not_found");
    await next();
  };
