import { z } from "zod";
import type { Case } from "./serve-cases.ts";

interface Schema {
  readonly $ref?: string | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | false | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
}
const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: z.union([Schema, z.literal(false)]).optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
  }),
);
const Body = z.object({
  content: z.record(z.string(), z.object({ schema: Schema })).default({}),
  headers: z.record(z.string(), z.unknown()).default({}),
});
const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: Body.optional(),
  responses: z.record(z.string(), Body),
});
const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});
type Schemas = z.infer<typeof Document>["components"]["schemas"];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Calls `found` with the name of each field below a schema; of those in a value, if there is one. */
function walk(
  schemas: Schemas,
  [name, schema]: readonly [string, Schema],
  found: (field: string) => void,
  value?: { readonly of: unknown },
): void {
  const { $ref, properties = {}, items, anyOf, oneOf = anyOf ?? [] } = schema;
  if ($ref !== undefined) {
    const referred = $ref.split("/").at(-1) ?? "";
    // Without a value, each object of the document is walked by itself.
    if (value !== undefined) walk(schemas, [referred, schemas[referred] ?? {}], found, value);
    return;
  }
  for (const each of oneOf)
    if (value === undefined || fits(schemas, each, value.of)) walk(schemas, [name, each], found, value);
  if (items) {
    const elements =
      value === undefined
        ? [undefined]
        : Array.isArray(value.of)
          ? value.of.map((of: unknown) => ({ of }))
          : [];
    for (const element of elements) walk(schemas, [name, items], found, element);
  }
  for (const [field, each] of Object.entries(properties)) {
    if (value !== undefined && !(isObject(value.of) && field in value.of)) continue;
    found(`${name}.${field}`);
    walk(
      schemas,
      [`${name}.${field}`, each],
      found,
      isObject(value?.of) ? { of: value.of[field] } : undefined,
    );
  }
}

/** Tells whether a value can be of a variant: it has its `type`, or the fields of one without. */
function fits(schemas: Schemas, schema: Schema, value: unknown): boolean {
  const { properties = {} } = schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  if (!isObject(value)) return Object.keys(properties).length === 0;
  const { type } = properties;
  const types = type?.enum ?? (type?.const === undefined ? undefined : [type.const]);
  return types === undefined
    ? Object.keys(value).every((field) => field in properties)
    : types.includes(value["type"]);
}

/** The data of the events in a stream. */
const eventsOf = (text: string): unknown[] =>
  [...text.matchAll(/^data: ?(\{.*\})$/gm)].map(([, data = ""]): unknown => JSON.parse(data));

/** The names of the schemas that a part of the document refers to, directly or by others. */
function schemasOf(schemas: Schemas, part: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!found.has(name)) schemasOf(schemas, schemas[name] ?? {}, found.add(name));
  return found;
}

/**
 * The fields, parameters and headers of the API's document: all that a client may interpret, and those that are in a
 * case.
 * @param isCalled true if a client calls an operation itself, not only for its callers
 */
export function fieldsOf(
  openApi: unknown,
  cases: readonly Case[],
  isCalled: (operationId: string) => boolean,
) {
  const { components, paths } = Document.parse(openApi);
  const { schemas } = components;
  const all = new Set<string>();
  const covered = new Set<string>();
  const addAll = (field: string) => void all.add(field);
  const cover = (field: string) => void covered.add(field);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      asked: new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    })),
  );
  const called = operations.filter(({ operationId }) => isCalled(operationId));
  const handedOn = schemasOf(schemas, operations);
  for (const name of schemasOf(schemas, called)) handedOn.delete(name);
  for (const named of Object.entries(schemas)) if (!handedOn.has(named[0])) walk(schemas, named, addAll);
  for (const { operationId, parameters, responses } of called) {
    for (const each of parameters)
      if (each.in === "query") addAll(`${operationId}?${each.name}`);
      else if (each.in === "header") addAll(`header ${each.name.toLowerCase()}`);
    for (const { headers } of Object.values(responses))
      for (const name of Object.keys(headers)) addAll(`header ${name.toLowerCase()}`);
  }
  for (const { call, exchanges } of cases) {
    if (call.method === "verifyWebhook") {
      const payload: unknown = JSON.parse(z.string().parse(call.given["payload"]));
      walk(schemas, ["", { $ref: "WebhookEvent" }], cover, { of: payload });
    }
    for (const { asked, query, headers, json, answer } of exchanges) {
      for (const name of [...Object.keys(headers), ...Object.keys(answer.headers)]) cover(`header ${name}`);
      const operation = operations.find((each) => each.asked.test(asked));
      if (operation === undefined) continue;
      for (const name of Object.keys(query)) cover(`${operation.operationId}?${name}`);
      const sent = operation.requestBody?.content["application/json"]?.schema;
      if (sent !== undefined) walk(schemas, ["", sent], cover, { of: json });
      const content = operation.responses[answer.status]?.content ?? {};
      const given = answer.status < 400 ? content["application/json"]?.schema : { $ref: "ErrorObject" };
      if (given !== undefined) walk(schemas, ["", given], cover, { of: answer.json });
      const stream = content["text/event-stream"];
      if (stream !== undefined)
        for (const of of eventsOf(answer.text ?? ""))
          walk(schemas, ["", { $ref: "JobEventData" }], cover, { of });
    }
  }
  return { all, covered };
}
