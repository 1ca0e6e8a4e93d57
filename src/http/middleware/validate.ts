import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { platform, type AppEnv } from "../context.ts";

const MOST_ISSUES = 3;

/** What is wrong with an input, field by field, for a person; the first few will do. */
function complaint(issues: readonly z.core.$ZodIssue[]): string {
  const told = issues.slice(0, MOST_ISSUES).map((issue) => {
    const path = issue.path.join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
  const rest = issues.length - told.length;
  return told.join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

/** Refuses a body before it is read: not declared as JSON, or larger than `maxBytes` says for this request. */
const boundedJson = (maxBytes: (c: Context<AppEnv>) => number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/json") throw new ServiceError("unsupported_content_type");
    const maxSize = maxBytes(c);
    const limit = bodyLimit({
      maxSize,
      onError: () => {
        throw new ServiceError("body_too_large", `The body has at most ${maxSize} bytes.`);
      },
    });
    return limit(c, next);
  });

/** A client's body, bounded by the operator's setting. */
export const jsonBody = boundedJson((c) => platform(c).settings.MAX_BODY_BYTES);

/** The largest report that the protocol allows, 10,000 masks, is well below this. */
const MAX_CALLBACK_BYTES = 4 * 1024 * 1024;

/** The inference service's body. */
export const callbackBody = boundedJson(() => MAX_CALLBACK_BYTES);

/** Validates a part of the request by its schema. @throws ServiceError invalid_request, naming the fields. */
export const validate = <Target extends "json" | "query", Schema extends z.ZodType>(
  target: Target,
  schema: Schema,
) =>
  zValidator(target, schema, (result) => {
    if (!result.success) throw new ServiceError("invalid_request", complaint(result.error.issues));
  });
