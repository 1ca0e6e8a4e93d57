import createClient, { type Client } from "openapi-fetch";
import { z } from "zod";
import type { components, operations, ROUTES } from "../../../client/src/contract.ts";
import { OPERATIONS, type OperationId } from "../../../src/operations.ts";
import { type Named, requestOf } from "../operation-requests.ts";

const Described = z.object({
  /** Absent if the response has no body. */
  content: z.record(z.string(), z.object({ schema: z.object({ $ref: z.string() }) })).optional(),
});
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    responses: z.record(z.string(), z.unknown()),
  }),
});

interface Failure {
  responses: { default: { content: { "application/json": components["schemas"]["ErrorObject"] } } };
}
/** An operation by its path and method. */
type Routed<Id extends OperationId> = (typeof ROUTES)[Id] extends `${infer Method} /${infer Path}`
  ? {
      [P in `/${Path extends `${infer Bare} ${string}` ? Bare : Path}`]: {
        [M in Lowercase<Method>]: operations[Id] & Failure;
      };
    }
  : never;
type Merged<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Paths = Merged<{ [Id in OperationId]: Routed<Id> }[OperationId]> & object;

export interface GeneratedClient {
  /** A client of openapi-fetch, with the types that openapi-typescript makes of docs/openapi.json. */
  readonly api: Client<Paths>;
  /** The document that the service serves. */
  readonly document: unknown;
  /** The responses so far, as `operationId status`. */
  readonly seen: ReadonlySet<string>;
  /** Sends the example of an operation's request, as `requestOf` makes it, without openapi-fetch. */
  readonly sendExample: (id: OperationId, named: Partial<Named>) => Promise<void>;
}

/** A client that checks each response's status and body against the document that the service serves. @throws Error if one differs */
export async function generatedClient(baseUrl: string, credential: string): Promise<GeneratedClient> {
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  // zod resolves references in $defs, not in components.
  const { paths: operations, components } = Document.parse(
    JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")),
  );
  const seen = new Set<string>();

  const responseOf = (path: string, method: string, status: number, type: string | null) => {
    const operation = operations[path]?.[method.toLowerCase()];
    const response = operation?.responses[status];
    const shared = z.object({ $ref: z.string() }).safeParse(response).data?.$ref.split("/").at(-1);
    const known = Described.safeParse(shared === undefined ? response : components.responses[shared]);
    const content = known.data?.content;
    const schema = type === null ? null : content?.[type]?.schema;
    const isBare = type === null && known.success && content === undefined;
    if (operation === undefined || schema === undefined || (schema === null && !isBare)) {
      throw new Error(
        `${method} ${path} answered ${status} with ${type ?? "no body"}, which the document does not list`,
      );
    }
    return { name: `${operation.operationId} ${status}`, schema };
  };

  const check = async (method: string, path: string, response: Response): Promise<void> => {
    const type = response.headers.get("content-type");
    const { name, schema } = responseOf(path, method, response.status, type);
    // The test reads a stream while it arrives.
    if (schema !== null && type === "application/json")
      z.fromJSONSchema({ $ref: schema.$ref, $defs: components.schemas }).parse(await response.clone().json());
    z.uuid().parse(response.headers.get("x-request-id"));
    seen.add(name);
  };

  const authorization = `Bearer ${credential}`;
  const api = createClient<Paths>({ baseUrl, headers: { authorization } });
  api.use({ onResponse: ({ request, response, schemaPath }) => check(request.method, schemaPath, response) });
  const sendExample = async (id: OperationId, named: Partial<Named>): Promise<void> => {
    const { method, path, headers, body } = requestOf(id, named);
    const response = await fetch(baseUrl + path, {
      method,
      // The job ends here, but another test may keep the engine busy.
      headers: { ...headers, authorization, ...("prefer" in headers && { prefer: "wait=60" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await check(method, OPERATIONS[id].path, response);
  };
  return { api, document: JSON.parse(text), seen, sendExample };
}
