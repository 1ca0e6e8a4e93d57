import type { Context } from "hono";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";

/** Ends each path's routes: the path exists, but not with this method; `allow` lists the methods it has (RFC 9110, 15.5.6). */
export const wrongMethod =
  (allow: string) =>
  (c: Context<AppEnv>): never => {
    c.header("allow", allow);
    throw new ServiceError("method_not_allowed");
  };
