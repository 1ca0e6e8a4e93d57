import { expect } from "vitest";
import { ErrorObject } from "../../../../src/shared/api/error.ts";
import type { Answer } from "./api.ts";

/** Expects exactly the specification's error object, with this status and code; `what` names the request in a failure. */
export function expectError(answer: Answer, status: number, error: string, what?: string): void {
  expect({ status: answer.status, body: answer.body }, what).toMatchObject({ status, body: { error } });
  const body = ErrorObject.parse(answer.body);
  expect(body.message, "a message that a person can act on").toMatch(/\w+ .*\.|:/s);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
}
