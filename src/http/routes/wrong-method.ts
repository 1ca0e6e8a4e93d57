import type { Context } from "hono";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";

/** The end of each path's routes: the path exists, the method does not; `allow` lists those that do (RFC 9110, 15.5.6). */
export const wrongMethod =
  (allow: string) =>
  (c: Context<AppEnv>): never => {
    c.header("allow", allow);
    throw new ServiceError("method_not_allowed");
  };
