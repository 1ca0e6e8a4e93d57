import { ROUTES } from "../contract.ts";
import { invalidInput } from "../errors.ts";
import type { Answered, ApiRequest, Connection } from "../http/connection.ts";
import { isObject } from "../http/shapes.ts";
import type { RequestOptions } from "../options.ts";
import { followEvents } from "./follow-events.ts";
import type { Api } from "./operations.ts";
import type { Answer, ApiEvent, Input, OperationId } from "./types.ts";

/** The ending of the route of a stream of events. */
const STREAM = " events";

/**
 * The request of an operation: fills in the names in its path. The other values are the body, or the query of an
 * operation without a body.
 */
export function requestOf(id: OperationId, input: object): ApiRequest {
  if (!isObject(input)) throw invalidInput(`${id} takes its parameters as one object.`);
  const [method = "", template = "", ...marks] = ROUTES[id].split(" ");
  const rest = new Map<string, unknown>(Object.entries(input));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (typeof value !== "string" || value === "") throw invalidInput(`${id} needs a ${name}.`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const request = { method, path, isEmpty: marks.includes("empty") };
  if (marks.includes("body")) return { ...request, body: Object.fromEntries(rest) };
  if (rest.size === 0) return request;
  const query = new URLSearchParams();
  for (const [name, value] of rest)
    if (value !== undefined) query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return { ...request, path: `${path}?${query.toString()}` };
}

/** Asks for an operation. @throws SegmentationError */
export async function askFor<Id extends OperationId>(
  connection: Connection,
  id: Id,
  input: Input<Id>,
  options: RequestOptions = {},
): Promise<Answered<Answer<Id>>> {
  return await connection.ask<Answer<Id>>(requestOf(id, input), options);
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextToken: string | null;
}

/** Asks once, and gives the answer as a promise, as a response, and as the items of all pages. */
function call(
  connection: Connection,
  id: OperationId,
  input: object = {},
  options: RequestOptions = {},
): object {
  const ask = async (given: object) => await connection.ask<Page>(requestOf(id, given), options);
  const answered = ask(input);
  const data = answered.then((answer) => answer.data);
  return Object.assign(data, {
    withResponse(): Promise<Answered<unknown>> {
      // The returned promise rejects with the failure.
      data.catch(() => {});
      return answered;
    },
    async *[Symbol.asyncIterator](): AsyncGenerator {
      for (let page = await data; ;) {
        yield* page.items;
        if (page.nextToken === null) return;
        page = (await ask({ ...input, nextToken: page.nextToken })).data;
      }
    },
  });
}

/** Asks for a stream, and gives its events until it ends. */
async function* stream(
  connection: Connection,
  id: OperationId,
  input: object = {},
  options: RequestOptions = {},
): AsyncGenerator<ApiEvent<unknown>> {
  yield* followEvents(connection, requestOf(id, input), options);
}

const IDS = Object.keys(ROUTES).filter((id): id is OperationId => id in ROUTES);

/** The operations of the service, from the contract. */
export function createApi(connection: Connection): Api {
  const operation = (id: OperationId) => (input?: object, options?: RequestOptions) =>
    (ROUTES[id].endsWith(STREAM) ? stream : call)(connection, id, input, options);
  return Object.fromEntries(IDS.map((id): unknown[] => [id, operation(id)]));
}
