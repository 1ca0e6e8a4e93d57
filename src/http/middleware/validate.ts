import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { complaint } from "../complaint.ts";
import { platform, type AppEnv } from "../context.ts";
import { refuseLooseJson } from "../strict-json.ts";

/** Whether a body is declared as JSON in UTF-8. Hono's validator takes more, and validates any other content type as {}. */
function isJson(contentType = ""): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  return type === "application/json" && charsets.every((charset) => /=\s*"?utf-?8"?$/.test(charset));
}

/** A request's body, read up to `maxSize` bytes. A client that breaks off is not our failure. */
async function readBounded(c: Context<AppEnv>, maxSize: number): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array();
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new ServiceError(
        "body_too_large",
        `The body is larger than ${maxSize} bytes. Send a smaller one.`,
      );
    },
  });
  try {
    await limit(c, async () => {
      bytes = await c.req.bytes();
    });
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError("body_incomplete");
  }
  return bytes;
}

/**
 * Refuses a body before it is read if it is not declared as JSON or is larger than `maxBytes` allows for this request;
 * then a body that is not strict JSON.
 */
const boundedJson = (maxBytes: (c: Context<AppEnv>) => number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (!isJson(c.req.header("content-type"))) throw new ServiceError("unsupported_content_type");
    refuseLooseJson(await readBounded(c, maxBytes(c)));
    await next();
  });

/** A client's body, bounded by the operator's setting. */
export const jsonBody = boundedJson((c) => platform(c).settings.MAX_BODY_BYTES);

/** The protocol's largest report, with 10,000 masks, is well below this. */
const MAX_CALLBACK_BYTES = 4 * 1024 * 1024;

/** The inference service's body. */
export const callbackBody = boundedJson(() => MAX_CALLBACK_BYTES);

/** Validates a part of the request by its schema. @throws ServiceError invalid_request, naming the fields. */
export const validate = <Target extends "json" | "query", Schema extends z.ZodType>(
  target: Target,
  schema: Schema,
) =>
  zValidator(target, schema, (result) => {
    if (!result.success) throw new ServiceError("invalid_request", complaint(schema, result.data, target));
  });
