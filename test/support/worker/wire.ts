import { expect } from "vitest";
import { ErrorObject } from "../../../src/contract/error.ts";
import type { Answer } from "./api.ts";

/** Expects the specification's error object, nothing beside it, with this status and code; `what` was asked is told. */
export function expectError(answer: Answer, status: number, error: string, what?: string): void {
  expect({ status: answer.status, body: answer.body }, what).toMatchObject({ status, body: { error } });
  const body = ErrorObject.parse(answer.body);
  expect(body.message, "a message that a person can act on").toMatch(/\w+ .*\.|:/s);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
}
