import { invalidInput } from "../errors.ts";
import type { ClientOptions, RequestOptions } from "../options.ts";
import { can, has, isObject, tagOf } from "./shapes.ts";

/** A requirement of an option: in words, and as a check of a value. */
type Rule = readonly [expected: string, isRight: (value: unknown) => boolean];

const isFunction = (value: unknown): boolean => typeof value === "function";
const isWhole = (value: unknown, least: number): boolean => Number.isInteger(value) && Number(value) >= least;

const isHeader = (value: unknown): boolean => ["string", "number", "undefined"].includes(typeof value);

const milliseconds: Rule = [
  "a number of milliseconds above 0, or Infinity for no limit",
  (value) => typeof value === "number" && value > 0,
];
const retries: Rule = [
  "a whole number from 0, or Infinity",
  (value) => value === Infinity || isWhole(value, 0),
];
const callback: Rule = ["a function", isFunction];

type Name = keyof ClientOptions | keyof RequestOptions | "cancelOnAbort" | "onProgress" | "onBytes";

const RULES: Readonly<Record<Name, Rule>> = {
  baseUrl: ["an address", (value) => typeof value === "string" || tagOf(value) === "URL"],
  apiKey: ["a text", (value) => typeof value === "string"],
  accessToken: ["a function that returns the token", isFunction],
  fetch: callback,
  timeoutMs: milliseconds,
  maxRetries: retries,
  retryDelayMs: [
    "a number of milliseconds from 0",
    (value) => typeof value === "number" && value >= 0 && value < Infinity,
  ],
  parallel: ["a whole number from 1", (value) => isWhole(value, 1)],
  signal: [
    "an AbortSignal",
    (value) => has(value, "aborted") && can(value, "addEventListener") && can(value, "throwIfAborted"),
  ],
  headers: [
    "a plain object of strings, such as Object.fromEntries(headers)",
    (value) => isObject(value) && !can(value, "entries") && Object.values(value).every(isHeader),
  ],
  idempotencyKey: ["a text", (value) => typeof value === "string"],
  cancelOnAbort: ["true or false", (value) => typeof value === "boolean"],
  onProgress: callback,
  onRetry: callback,
  onBytes: callback,
};

const isOption = (name: string): name is Name => name in RULES;

/**
 * Checks options and returns them. `undefined` counts as left out; unknown options pass unchecked.
 * @throws SegmentationError `invalid_input` if one has an impossible value
 */
export function checked<Given extends object>(options: Given): Given {
  if (!isObject(options)) throw invalidInput("The options are not an object.");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !isOption(name)) continue;
    const [expected, isRight] = RULES[name];
    if (isRight(value)) continue;
    // A string may be a secret.
    const given = typeof value === "number" || value === null ? `${value}` : `of type ${typeof value}`;
    throw invalidInput(`${name} is ${given}. It has to be ${expected}.`);
  }
  return options;
}
