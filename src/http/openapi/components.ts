import { z } from "zod";
import { describeFields, type JsonSchema } from "./fields.ts";

const pathOf = (id: string): string => `#/components/schemas/${id}`;

/** Removes zod's JavaScript keywords from every schema. */
const withoutNoise: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ jsonSchema }) => {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};

const registered = (io: "input" | "output"): Record<string, JsonSchema> =>
  z.toJSONSchema(z.globalRegistry, { io, uri: pathOf, override: withoutNoise }).schemas;

/** Suffix of a request schema's name: a request is documented by its input, all others by their output. */
const REQUEST = "Request";

/** The named schemas, in the order of their names: requests as clients send them, the others as we answer. */
export function componentSchemas(): Record<string, JsonSchema> {
  const requests = registered("input");
  const answers = registered("output");
  const components: Record<string, JsonSchema> = {};
  for (const id of Object.keys(answers).toSorted()) {
    const { $schema: _dialect, $id: _id, ...schema } = (id.endsWith(REQUEST) ? requests : answers)[id] ?? {};
    components[id] = schema;
  }
  for (const [id, schema] of Object.entries(components)) describeFields(id, schema, components);
  return components;
}

/** The reference to a named schema. @throws if it has no name. */
export function reference(schema: z.ZodType): { $ref: string } {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error("A body's schema needs a name: .meta({ id }).");
  return { $ref: pathOf(id) };
}

/** The reference to the schema of a request's body. @throws if its name does not end in `Request`. */
export function requestReference(schema: z.ZodType): { $ref: string } {
  const named = reference(schema);
  if (!named.$ref.endsWith(REQUEST))
    throw new Error(`The name of a request's schema ends in ${REQUEST}: ${named.$ref}`);
  return named;
}

/** Returns a parameter's schema without the keywords of the parameter itself; named schemas in it are references. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  const {
    $schema: _dialect,
    $defs: _named,
    description: _description,
    ...inline
  } = z.toJSONSchema(schema, { override: withoutNoise });
  if (inline.$ref !== undefined) return { $ref: inline.$ref.replace("#/$defs/", pathOf("")) };
  return inline;
}
