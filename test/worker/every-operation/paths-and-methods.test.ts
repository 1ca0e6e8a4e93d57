import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../src/operations.ts";
import { newClient, send } from "../../support/worker/client/api.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The methods of each path of the API, and of the other paths. */
const allowed = new Map<string, string[]>([
  ["/", ["GET"]],
  ["/healthz", ["GET"]],
  ["/docs", ["GET"]],
  ["/openapi.json", ["GET"]],
  ["/internal/leases/complete", ["POST"]],
  ["/webhooks/stripe", ["POST"]],
  ["/mcp", ["POST"]],
]);
for (const { method, path } of Object.values(OPERATIONS)) {
  allowed.set(path, [...(allowed.get(path) ?? []), method.toUpperCase()]);
}

describe("404 and 405", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v2/jobs",
    "/v1/job",
    "/v1/jobs/",
    "/v1/jobs/a/b",
    "/v1/jobs/a/result/b",
    "/v1/account/",
    "/v1/billing",
    "/v1/api-keys/a/b",
    "/internal",
    "/webhooks",
    "/sse",
    "/docs/",
    "/favicon.ico",
    "/%zz",
  ])("answers the unknown path %s with 404 [7-1 7-14]", async (path) => {
    expectError(await (await newClient()).send("GET", path), 404, "not_found");
  });

  it.each(["/v1/v1/jobs", "/v1/v1", "/v1//v1/jobs", "/v1/v1/uploads/presign"])(
    "names the doubled prefix in %s [A24-3]",
    async (path) => {
      const answer = await (await newClient()).send("POST", path, {});
      expectError(answer, 404, "not_found");
      expect(answer.body.message).toContain("/v1 twice");
    },
  );

  it("does not say so of other paths", async () => {
    for (const path of ["/v1/v10", "/v1/jobs/v1/v1", "/v1x/v1"])
      expect((await send("GET", path)).body.message, path).not.toContain("twice");
  });

  it.each([...allowed])(
    "answers any method of %s but %s with 405, and names those [7-14]",
    async (path, methods) => {
      for (const method of METHODS.filter((name) => !methods.includes(name))) {
        const answer = await send(method, path);
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.get("allow")?.split(", ").toSorted()).toEqual(methods.toSorted());
      }
    },
  );
});
