import { ErrorObject } from "../../src/contract/error.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";

const operations: readonly Operation[] = Object.values(OPERATIONS);

/** The operation that a request is for. */
function operationOf(method: string, path: string): Operation | undefined {
  return operations.find(
    (operation) =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}

/** `fetch` that checks each JSON answer of the API against the contract. @throws ZodError if an answer differs */
export const checkedFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  const operation = operationOf(init?.method ?? "GET", pathname);
  if (operation === undefined || response.status === 204) return response;
  if (response.ok && operation.contentType !== undefined) return response;
  // A proxy's answer is no JSON, and the library's to judge.
  if (!(response.headers.get("content-type") ?? "").startsWith("application/json")) return response;
  const schema = response.ok ? operation.answer : ErrorObject;
  schema?.parse(await response.clone().json());
  return response;
};
