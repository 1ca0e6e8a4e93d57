import { cutText } from "@segmentation/protocol";
import type { z } from "zod";
import { quoted } from "./strict-json.ts";

const MOST_ISSUES = 3;
const MOST_CHARACTERS = 200;

const NOUNS: Readonly<Record<string, string>> = { array: "item", string: "character" };

/** A bound as words: "must have at least 1 item", "must have exactly 1 item", "must be at most 1", "must be greater than 0". */
function bound(
  issue: { origin: string; inclusive?: boolean | undefined; exact?: boolean | undefined },
  limit: number | bigint,
  words: readonly [inclusive: string, exclusive: string],
): string {
  const noun = NOUNS[issue.origin];
  const counted = noun === undefined ? `${limit}` : `${limit} ${noun}${Number(limit) === 1 ? "" : "s"}`;
  const verb = noun === undefined ? "be" : "have";
  if (issue.exact === true) return `must ${verb} exactly ${counted}`;
  return `must ${verb} ${issue.inclusive === false ? words[1] : words[0]} ${counted}`;
}

const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  string: "a string",
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(", ")}`;

/** Describes the problem of a field whose schema has no message; null leaves it to zod. */
const readable: z.core.$ZodErrorMap = (issue) => {
  const { code } = issue;
  if (code === "unrecognized_keys") return "is not a field of this request";
  if (issue.input === undefined) return "is missing";
  if (code === "invalid_type") return `must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (code === "too_small") return bound(issue, issue.minimum, ["at least", "greater than"]);
  if (code === "too_big") return bound(issue, issue.maximum, ["at most", "less than"]);
  if (code === "invalid_value") return oneOf(issue.values);
  if (code === "invalid_union" && Array.isArray(issue["options"])) return oneOf(issue["options"]);
  return null;
};

/** `tasks[3]`; empty for the input as a whole. */
const fieldOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");

/** Returns true if a field of the input is null, as generated clients send unset fields. Items of an array are not fields. */
function isNullField(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const part of path) value = Object(value)[part];
  return value === null && typeof path.at(-1) === "string";
}

const nameOf = (key: string): string => (/^\w{1,40}$/.test(key) ? key : quoted(key));

/**
 * Describes why a schema refused an input: `prompts: is missing; and 2 more fields are wrong.` Names the first few fields, and
 * cuts each message.
 */
export function complaint(schema: z.ZodType, input: unknown, target: "json" | "query"): string {
  const error: z.core.$ZodErrorMap = (issue) =>
    target === "query" && Array.isArray(issue.input) ? "appears more than once" : readable(issue);
  const sentences = new Map<string, string>();
  for (const issue of schema.safeParse(input, { error }).error?.issues ?? []) {
    const field = fieldOf(issue.path);
    const names =
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => (field === "" ? nameOf(key) : `${field}.${nameOf(key)}`))
        : [field === "" ? "The body" : `${field}:`];
    // One complaint per field is enough.
    const isNull = /^invalid_(?:type|value|union)$/.test(issue.code) && isNullField(input, issue.path);
    const hint = isNull ? ", not null: leave it out if it is not set" : "";
    for (const name of names) if (!sentences.has(name)) sentences.set(name, issue.message + hint);
  }
  const named = [...sentences].slice(0, MOST_ISSUES);
  const rest = sentences.size - named.length;
  const sentence = named.map(([name, text]) => `${name} ${cutText(text, MOST_CHARACTERS)}`).join("; ");
  const others = rest === 0 ? "" : `; and ${rest} more ${rest === 1 ? "field is" : "fields are"} wrong`;
  return `${sentence}${others}.`;
}
