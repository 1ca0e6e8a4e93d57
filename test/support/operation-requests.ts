import { z } from "zod";
import { exampleOf } from "../../scripts/generate/openapi/example.ts";
import { type Operation, PATH_PARAMETERS } from "../../src/shared/api/operation.ts";
import { OPERATIONS, type OperationId } from "../../src/operations.ts";

/** The parameters of paths. */
export const Parameter = z.object(PATH_PARAMETERS).keyof();
const Ids = z.record(Parameter, z.string());

/** The ids that a request names, by the parameters of paths. */
export type Named = Readonly<z.infer<typeof Ids>>;

/** A request without its credential. */
export interface OperationRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** The ids in the contract's examples. */
const EXAMPLE_IDS: Named = Ids.parse(
  Object.fromEntries(Parameter.options.map((name) => [name, exampleOf(PATH_PARAMETERS[name])])),
);

/** Well-formed ids of things that do not exist. */
export const ABSENT: Named = Ids.parse(
  Object.fromEntries(
    Object.entries(EXAMPLE_IDS).map(([name, id]) => [name, id.replace(/[0-9a-f]{8}/, "00000000")]),
  ),
);

/** The statuses of an operation's success: 202 is that of a job which has not ended. */
export function successesOf(id: OperationId): number[] {
  const { status, unfinished }: Operation = OPERATIONS[id];
  return unfinished === undefined ? [status] : [status, 202];
}

/** The contract's example of an operation's body, as JSON. */
function bodyOf(id: OperationId): string {
  const { body }: Operation = OPERATIONS[id];
  if (body === undefined) return "";
  const example = exampleOf(body);
  if (example === undefined)
    throw new Error(`${id}: add an example to the schema of its body, by .meta({ examples }).`);
  return JSON.stringify(example);
}

/** The kinds of ids that an operation's request names in its path, body or query. */
export function namesOf(id: OperationId): (keyof Named)[] {
  const { path, query }: Operation = OPERATIONS[id];
  const body = bodyOf(id);
  return Parameter.options.filter(
    (name) =>
      path.includes(`{${name}}`) ||
      body.includes(EXAMPLE_IDS[name]) ||
      Object.hasOwn(query?.shape ?? {}, name),
  );
}

/**
 * Returns a valid request of an operation, with the contract's example as its body; its ids do not exist unless they are given.
 */
export function requestOf(operation: OperationId, named: Partial<Named> = {}): OperationRequest {
  const all = { ...ABSENT, ...named };
  const { method, path, idempotencyKey, requestHeaders = [], unfinished }: Operation = OPERATIONS[operation];
  const body = Parameter.options.reduce(
    (text, name) => text.replaceAll(EXAMPLE_IDS[name], all[name]),
    bodyOf(operation),
  );
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => all[Parameter.parse(name)]),
    headers: {
      ...(idempotencyKey !== undefined && { "idempotency-key": crypto.randomUUID() }),
      ...(requestHeaders.includes("If-Match") && { "if-match": '"0"' }),
      ...(body !== "" && { "content-type": "application/json" }),
      // Its job never ends.
      ...(unfinished !== undefined && { prefer: "wait=1" }),
    },
    body: body === "" ? undefined : JSON.parse(body),
  };
}
