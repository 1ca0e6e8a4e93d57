import { cutText } from "@segmentation/protocol";
import { ServiceError } from "../shared/errors.ts";
import { type IsSetAside, type SetAside, structureOf } from "./json-structure.ts";

/** Maximum number of characters of a client's text that an error may quote. */
const MOST_QUOTED = 40;

const BYTE_ORDER_MARK = "\uFEFF";

const refusal = (reason: string): ServiceError => new ServiceError("invalid_json", reason);

/** Returns a client's text, quoted and cut. */
export const quoted = (name: string): string => JSON.stringify(cutText(name, MOST_QUOTED));

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal("The body is not valid UTF-8. Send JSON encoded as UTF-8.");
  }
}

/** Returns a body's text with null in place of the values set aside. */
function textWithout(bytes: Uint8Array, aside: readonly SetAside[], mostBytes: number): string {
  const starts = [0, ...aside.map(({ to }) => to)];
  const pieces = starts.map((from, i) => bytes.subarray(from, aside[i]?.from));
  if (pieces.reduce((sum, { length }) => sum + length, 0) > mostBytes)
    throw new ServiceError(
      "body_too_large",
      `The body is larger than ${mostBytes} bytes, apart from its picture and ignored fields. Send a smaller one.`,
    );
  return pieces.map(decode).join("null");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ is not valid JSON$/, "") : "";
    throw refusal(`The body is not valid JSON: ${cutText(reason, 4 * MOST_QUOTED)}.`);
  }
}

function refuseHalf(text: string): void {
  if (!text.isWellFormed())
    throw refusal("A string in the body has an unpaired surrogate (half of a character).");
}

/** The number of keys a value has. Refuses what JSON.parse accepts: unpaired surrogates, numbers that become infinite. */
function keysIn(value: unknown): number {
  if (typeof value === "string") refuseHalf(value);
  if (typeof value === "number" && !Number.isFinite(value))
    throw refusal("A number in the body is too large for a 64-bit float.");
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const each of value) keys += keysIn(each);
    return keys;
  }
  for (const [name, each] of Object.entries(value)) {
    refuseHalf(name);
    keys += 1 + keysIn(each);
  }
  return keys;
}

/** Refuses a body by the first key that appears twice in one object. */
function refuseTwice(bytes: Uint8Array): never {
  const seen = new Set<string>();
  structureOf(bytes, (path, _first, object) => {
    const name = path.at(-1) ?? "";
    const id = `${object} ${name}`;
    if (seen.has(id))
      throw refusal(`The key ${quoted(name)} appears twice in one object. Send each key once.`);
    seen.add(id);
    return false;
  });
  throw refusal("A key appears twice in one object. Send each key once.");
}

/** A body's value, with null in place of the values set aside, and those values. */
export interface StrictJson {
  readonly value: unknown;
  readonly aside: readonly { readonly path: readonly string[]; readonly bytes: Uint8Array<ArrayBuffer> }[];
}

/**
 * Parses a body. Refuses a body that is not JSON, or that two readers could understand differently: the rules of I-JSON (RFC
 * 7493, 2). Does not check the values set aside.
 * @param mostBytes maximum size of the body without the values set aside
 * @throws ServiceError invalid_json, body_too_large, with the problem.
 */
export function strictJson(
  bytes: Uint8Array<ArrayBuffer>,
  isSetAside?: IsSetAside,
  mostBytes = Infinity,
): StrictJson {
  const { keys, aside } = structureOf(bytes, isSetAside);
  const text = textWithout(bytes, aside, mostBytes);
  if (text === "") throw refusal("The body is empty. Send a JSON object.");
  if (text.startsWith(BYTE_ORDER_MARK)) {
    throw refusal("The body starts with a byte order mark. Send it without one.");
  }
  const value = parse(text);
  // JSON.parse keeps the last value of a key.
  if (keysIn(value) !== keys) refuseTwice(bytes);
  return { value, aside: aside.map(({ path, from, to }) => ({ path, bytes: bytes.subarray(from, to) })) };
}
