import { describe, expect, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("404 and 405", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v2/jobs",
    "/v1/job",
    "/v1/jobs/",
    "/v1/jobs/a/b",
    "/v1/jobs/a/result/b",
    "/internal",
  ])("answers the unknown path %s with 404", async (path) => {
    expectError(await (await newClient()).send("GET", path), 404, "not_found");
  });

  it.each([
    ["GET", "/v1/uploads/presign"],
    ["DELETE", "/v1/jobs"],
    ["PUT", "/v1/jobs/job_1"],
    ["POST", "/v1/jobs/job_1/result"],
    ["PATCH", "/v1/jobs/job_1/download"],
    ["GET", "/internal/leases/complete"],
    ["POST", "/healthz"],
  ])("answers the wrong method %s %s with 405", async (method, path) => {
    const answer = await (await newClient()).send(method, path);
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")).toMatch(/^(GET|POST|GET, POST)$/);
  });
});
