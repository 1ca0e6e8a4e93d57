import { ServiceError } from "../../shared/errors.ts";
import type { StrictJson } from "../../http/strict-json.ts";
import type { LargeBody } from "../../http/large-body.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import { pictureIn } from "../../http/inline-picture.ts";
import { isNothing } from "../nothing.ts";
import { storedOnce } from "../uploads.ts";
import { MOST_INLINE_BYTES } from "../../segment/contract/segment.ts";
import { SCHEMAS } from "./schemas.ts";

const QUOTE = 0x22;
/** The longest URL or taskId as a string, with room for escapes. */
const MOST_TEXT_BYTES = 8_192;
const IMAGE = "params/arguments/image";
const BASE64 = `${IMAGE}/base64`;

/** A call with the largest picture in base64, and its other fields. */
export const BODY: LargeBody = {
  mostBytes: Math.ceil(MOST_INLINE_BYTES / 3) * 4 + 64 * 1_024,
  mostKept: 256 * 1_024,
  isSetAside: (path, first) => {
    const name = path.join("/");
    return first === QUOTE && (name === BASE64 || name === IMAGE);
  },
};

/** A call, after its picture became an upload. */
export interface Message {
  readonly message: object;
  /** The error of a bad picture; null for a good one or none. */
  readonly refusal: unknown;
}

const objectAt = (value: unknown, name: string): object | null => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : null;
  return typeof field === "object" && field !== null && !Array.isArray(field) ? field : null;
};

/**
 * Returns the message of a single call: a batch would count as one request. Stores a picture inside it, and replaces it by its
 * taskId.
 * @throws ServiceError invalid_request.
 */
export async function messageOf(client: Requester, { value, aside }: StrictJson): Promise<Message> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ServiceError(
      "invalid_request",
      "The body must be one JSON-RPC message, not a batch. Send one per request.",
    );
  const params = objectAt(value, "params");
  if (params !== null && isNothing(Reflect.get(params, "arguments")))
    Reflect.deleteProperty(params, "arguments");
  const args = objectAt(params, "arguments");
  const [inline] = aside;
  if (inline === undefined || args === null) return { message: value, refusal: null };
  const head = new TextDecoder().decode(inline.bytes.subarray(0, MOST_TEXT_BYTES));
  if (inline.path.join("/") === IMAGE && !/^\s*"data:/i.test(head)) {
    const isWhole = inline.bytes.length <= MOST_TEXT_BYTES;
    Reflect.set(args, "image", isWhole ? textOf(head) : "a long text");
    return { message: value, refusal: null };
  }
  const mimeType: unknown = Reflect.get(objectAt(args, "image") ?? {}, "mimeType") ?? "image/png";
  Reflect.set(args, "image", { base64: "AAAA", mimeType });
  // Stores nothing of a call that its schema refuses.
  const { issues } = await SCHEMAS.segment.input["~standard"].validate(args);
  if (issues !== undefined) return { message: value, refusal: null };
  try {
    const bytes = pictureIn(inline.bytes);
    const contentType = String(mimeType);
    if (bytes === null) Reflect.deleteProperty(args, "image");
    else Reflect.set(args, "image", { taskId: await storedOnce(client, { bytes, contentType }) });
    return { message: value, refusal: null };
  } catch (refusal) {
    // The tool answers with it, so that the model reads how to fix it.
    return { message: value, refusal };
  }
}

function textOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ServiceError("invalid_json");
  }
}
