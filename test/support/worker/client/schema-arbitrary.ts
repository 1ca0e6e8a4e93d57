import fc from "fast-check";
import { z } from "zod";

/** The part of JSON Schema that zod writes. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Short arrays; other tests cover long ones. */
const MOST_ITEMS = 4;
const MOST_LETTERS = 40;

function letters({ pattern, minLength = 0, maxLength = MOST_LETTERS }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const bounds = { minLength, maxLength: Math.min(maxLength, Math.max(minLength, MOST_LETTERS)) };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: "binary" }));
}

function number({ minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  return fc.double({
    noNaN: true,
    min: exclusiveMinimum ?? minimum ?? -1e9,
    max: maximum ?? 1e9,
    minExcluded: exclusiveMinimum !== undefined,
  });
}

/** `defs` are the document's named schemas, to which a `$ref` refers. */
function valueOf(written: Schema, defs: Schema["$defs"] = written.$defs): fc.Arbitrary<unknown> {
  const schema = defs?.[written.$ref?.replace("#/$defs/", "") ?? ""] ?? written;
  const part = (inner: Schema): fc.Arbitrary<unknown> => valueOf(inner, defs);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return fc.oneof(...options.map(part));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type ?? "any") {
    case "string":
      return letters(schema);
    case "boolean":
      return fc.boolean();
    case "number":
      return number(schema);
    case "integer":
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e6),
        max: Math.min(schema.maximum ?? 1e6, 1e6),
      });
    case "array":
      if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map(part));
      return fc.uniqueArray(part(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST_ITEMS, Math.max(schema.minItems ?? 0, MOST_ITEMS)),
      });
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, of]) => [name, part(of)])),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    default:
      return fc.jsonValue();
  }
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

function accepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch {
    // A length that can't be compared; the service refuses it.
    return false;
  }
}

/** Values that a schema accepts, as a client would send them. */
export function valid(schema: z.ZodType): fc.Arbitrary<unknown> {
  const written: Schema = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })),
  );
  // The schema itself checks rules that JSON Schema can't express.
  return valueOf(written).filter((value) => accepts(schema, value));
}

/** Values that may replace any other. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    "",
    " ",
    [],
    {},
    [[]],
    "image",
    "video",
    "\u0000",
    "💥",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A value with one part of it replaced, dropped or added. */
function damaged(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const replaced = fc
      .tuple(fc.nat({ max: Math.max(0, items.length - 1) }), anything)
      .map(([at, part]) => items.with(Math.min(at, Math.max(0, items.length - 1)), part));
    return fc.oneof(
      anything,
      ...(items.length > 0 ? [replaced] : []),
      anything.map((part) => [...items, part]),
    );
  }
  if (typeof value !== "object" || value === null) return anything;
  const entries = Object.entries(value);
  const parts = entries.map(([name, part]) =>
    fc.oneof(damaged(part), anything).map((other): unknown => ({ ...value, [name]: other })),
  );
  const dropped = entries.map(([name]) =>
    fc.constant<unknown>(Object.fromEntries(entries.filter(([other]) => other !== name))),
  );
  const added = fc.tuple(fc.string(), anything).map(([name, part]): unknown => ({ ...value, [name]: part }));
  return fc.oneof(anything, added, ...parts, ...dropped);
}

/** Values that a schema refuses, close to values that it accepts. */
export const invalid = (schema: z.ZodType): fc.Arbitrary<unknown> =>
  valid(schema)
    .chain(damaged)
    .filter((value) => !accepts(schema, value));

/** Bytes close to JSON that are invalid: not JSON, a key twice, nested too deeply; some are not even UTF-8. */
export const malformedJson = (schema: z.ZodType): fc.Arbitrary<Uint8Array<ArrayBuffer>> =>
  valid(schema)
    .map((value) => JSON.stringify(value))
    .chain((json) =>
      fc.oneof(
        fc.nat({ max: json.length - 2 }).map((end) => utf8(json.slice(0, end))),
        fc
          .constantFrom(
            json.replaceAll('"', "'"),
            `${json}}`,
            `${json},`,
            `${json}{}`,
            json.replace("{", "{,"),
          )
          // An empty object has no quotes.
          .filter((text) => text !== json)
          .map(utf8),
        fc
          .constantFrom("NaN", "Infinity", "undefined", "01", "+1", "0x1", "1.", "'a'")
          .map((word) => utf8(json.replace("{", `{"more":${word},`))),
        fc.string({ minLength: 1, maxLength: 8 }).map((name) => {
          const key = JSON.stringify(name);
          return utf8(json.replace("{", `{${key}:1,${key}:1,`));
        }),
        fc.integer({ min: 200, max: 2_000 }).map((depth) => {
          const nest = "[".repeat(depth) + "]".repeat(depth);
          return utf8(json.replace("{", `{"more":${nest},`));
        }),
        fc.constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]).map((bytes) => {
          const [head, ...rest] = utf8(json);
          return Uint8Array.of(head ?? 0, 0x22, ...bytes, 0x22, 0x3a, 0x31, 0x2c, ...rest);
        }),
      ),
    );
