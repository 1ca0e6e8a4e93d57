import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { ServiceError } from "../shared/errors.ts";
import { BYTES_PER_BYTE, boundedBody, holdingMemory } from "./bounded-body.ts";
import { complaint } from "./complaint.ts";
import { platform, type AppEnv } from "./context.ts";
import { quoted, strictJson } from "./strict-json.ts";

/**
 * Returns true if a body is declared as JSON in UTF-8. Hono's validator takes more, and validates any other content type as {}.
 */
function isJson(contentType = ""): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  return type === "application/json" && charsets.every((charset) => /=\s*"?utf-?8"?$/.test(charset));
}

/** Refuses a compressed or otherwise encoded body. @throws ServiceError unsupported_content_type, which names the encoding. */
export function refuseEncoded(contentEncoding = ""): void {
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === "" || coding === "identity")) return;
  throw new ServiceError(
    "unsupported_content_type",
    `The body has the Content-Encoding ${quoted(contentEncoding)}, and the service takes none. Send the JSON itself, without this header.`,
  );
}

/**
 * Reads a body and validates it by its schema. Refuses an encoded, undeclared or too large body before reading it.
 * @param maxBytes the operator's bound for clients, unless another is given
 * @throws ServiceError unsupported_content_type, body_too_large, body_incomplete, invalid_json, invalid_request, rate_limited.
 */
export async function readBody<Schema extends z.ZodType>(
  c: Context<AppEnv>,
  schema: Schema,
  maxBytes = platform(c).settings.MAX_BODY_BYTES,
): Promise<z.output<Schema>> {
  refuseOtherType(c);
  const owner = c.var.account?.accountId ?? c.var.lease?.job ?? "operator";
  const { size, read } = await boundedBody(c, maxBytes);
  return holdingMemory(c, owner, BYTES_PER_BYTE * size, async () =>
    validBody(schema, strictJson(await read()).value),
  );
}

/** Refuses a body that is encoded, or not declared as JSON in UTF-8. @throws ServiceError unsupported_content_type. */
export function refuseOtherType(c: Context<AppEnv>): void {
  refuseEncoded(c.req.header("content-encoding"));
  if (!isJson(c.req.header("content-type"))) throw new ServiceError("unsupported_content_type");
}

/** A body's value as its schema gives it. @throws ServiceError invalid_request, naming the fields. */
export function validBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  try {
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw new ServiceError("invalid_request", complaint(schema, body, "json"));
  } catch (error) {
    // zod compares the `length` of any object before it checks that this is a string: {"toString": 0, "valueOf": 0} throws.
    if (error instanceof TypeError && error.message.includes("primitive"))
      throw new ServiceError("invalid_request", "The body has an object where a text or a list is expected.");
    throw error;
  }
}

/** The protocol's largest report, with 10,000 masks, is well below this. */
const MAX_CALLBACK_BYTES = 4 * 1024 * 1024;

/** The body of a callback of the inference service; throws as readBody. */
export const readCallback = <Schema extends z.ZodType>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.output<Schema>> => readBody(c, schema, MAX_CALLBACK_BYTES);

/** The request's query, validated by its schema. @throws ServiceError invalid_request, naming the fields. */
export async function readQuery<Schema extends z.ZodType>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { promise, resolve } = Promise.withResolvers<z.output<Schema>>();
  const validate: MiddlewareHandler<AppEnv> = zValidator("query", schema, (result) => {
    if (!result.success) throw new ServiceError("invalid_request", complaint(schema, result.data, "query"));
    resolve(result.data);
  });
  await validate(c, async () => {});
  return promise;
}
