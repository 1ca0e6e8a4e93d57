import type { Context } from "hono";
import type { OperationId } from "../operations.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Env } from "../env.ts";
import type { LeaseClaims } from "../jobs/rules/lease.ts";
import type { Account } from "../accounts/store/accounts.ts";
import type { Platform } from "../platform.ts";

/** Values from the middleware for the handlers behind it. */
interface Variables {
  /** Gives the stores and settings; throws if a setting is wrong. */
  platform: () => Platform;
  requestId: string;
  /** The operation of the API that the request is; on /v1 only. */
  operation?: OperationId;
  /** The authenticated account; on /v1 only. */
  account: Account;
  /** The code of the error that the answer carries. */
  error: string;
  jobId: string;
  /** The status of an answer before the end, in place of the operation's. */
  status?: 202;
  /** Time for which the answer was held at the client's request, in milliseconds. */
  heldMs?: number;
  /** The lease of a callback; on /internal/leases only. */
  lease: LeaseClaims;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/** The stores and settings behind a request. */
export const platform = (c: Context<AppEnv>): Platform => c.var.platform();

/** A file of the Worker's assets, or 304 if the client has it. @throws ServiceError not_found. */
export async function asset(c: Context<AppEnv>, path: string): Promise<Response> {
  const file = await platform(c).assets.file(path, c.req.header("if-none-match"));
  if (file === null) throw new ServiceError("not_found");
  return file;
}
