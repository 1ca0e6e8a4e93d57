import { invalidInput } from "./errors.ts";
import { can, has, isObject } from "./http/shapes.ts";

/**
 * The headers of a request from `fetch`, Node's `http`, or a framework: `Headers` of any package, a Map, name and value
 * in pairs, or an object, whose values may be arrays.
 */
export type WebhookHeaders =
  | { entries(): Iterable<readonly [string, unknown]> }
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, unknown]>
  | Readonly<Record<string, unknown>>;

/**
 * Reads headers regardless of the case of their names; "" for a missing one.
 * @throws SegmentationError `invalid_input`
 */
export function headerReader(headers: WebhookHeaders): (name: string) => string {
  const given: unknown = headers;
  if (!isObject(given) || has(given, "headers") || can(given, "then"))
    throw invalidInput("These are not a request's headers. Give request.headers.");
  const pairs: unknown = can(given, "entries") && !Array.isArray(given) ? call(given, "entries") : given;
  if (!isIterable(pairs)) {
    if (can(given, "get")) return (name) => textOf(call(given, "get", name));
    return readerOf(Object.entries(given));
  }
  const list = [...pairs];
  // Node's `rawHeaders` alternate names and values.
  const isFlat = list.length > 0 && list.every((each) => typeof each === "string");
  return readerOf(isFlat ? list.map((name, i) => (i % 2 === 0 ? [name, list[i + 1]] : [])) : list);
}

const readerOf = (pairs: readonly unknown[]) => (name: string) =>
  pairs
    .filter((pair): pair is unknown[] => Array.isArray(pair) && String(pair[0]).toLowerCase() === name)
    .map(([, value]) => textOf(value))
    .join(" ");

/** Several values are one: signatures are separated by spaces. Lambda@Edge has `{ key, value }` for each. */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  return typeof value === "string" ? value : has(value, "value") ? textOf(value["value"]) : "";
};

const isIterable = (value: unknown): value is Iterable<unknown> => can(value, Symbol.iterator);

const call = (target: object, name: string, ...given: unknown[]): unknown =>
  Reflect.apply(Reflect.get(target, name), target, given);
