import type { Hono } from "hono";
import { ServiceError } from "../shared/errors.ts";
import type { AppEnv } from "./context.ts";

/**
 * Answers a path with 405 and its methods (RFC 9110, 15.5.6) to every method for which it has no route so far; without a path,
 * does so for each path of the app. Hono's `methodNotAllowed` gives the log no route to name, and applies to everything that any
 * pattern matches.
 */
export function refuseOtherMethods(app: Hono<AppEnv>, only?: string): void {
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && path === (only ?? path));
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const allow = [...new Set(own.map(({ method }) => method))].join(", ");
    app.all(path, (c) => {
      c.header("allow", allow);
      throw new ServiceError("method_not_allowed");
    });
  }
}
