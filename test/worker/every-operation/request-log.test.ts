import { describe, expect, it, vi } from "vitest";
import { newClient, send } from "../../support/worker/client/api.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";

/** Returns the fields of a request's one line, without the time. */
async function lineOf(request: () => Promise<{ headers: Headers }>): Promise<Record<string, unknown>> {
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  const answer = await request();
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  const own = lines.filter(({ event }) => event === "request");
  expect(own).toHaveLength(1);
  expect(own[0]).toMatchObject({ ms: expect.any(Number), requestId: answer.headers.get("x-request-id") });
  return own[0];
}

describe("the line in the log of a request", () => {
  it("names the operation, its status, the account and the job", async () => {
    const client = await newClient();
    const { jobId } = await newJob(client);
    expect(await lineOf(() => client.send("GET", `/v1/jobs/${jobId}`))).toMatchObject({
      operation: "retrieveJob",
      status: 200,
      account: client.accountId,
      jobId,
    });
    expect(await lineOf(() => client.send("POST", "/v1/jobs", {}))).toMatchObject({
      operation: "createJob",
      status: 400,
      error: "invalid_request",
    });
    expect(await lineOf(() => client.send("HEAD", "/v1/account"))).toMatchObject({ operation: "getAccount" });
  });

  it("names a method and a route if there is no operation", async () => {
    const lines = [
      ["PUT", "/v1/jobs/job_1", 405, "PUT /v1/jobs/:jobId"],
      ["GET", "/docs/nothing", 404, "GET /docs/:file"],
      ["GET", "/healthz", 200, "GET /healthz"],
    ] as const;
    for (const [method, path, status, operation] of lines) {
      expect(await lineOf(() => send(method, path))).toMatchObject({ operation, status });
    }
  });

  it("has neither the credential nor anything else that the client wrote", async () => {
    const client = await newClient();
    for (const key of [client.key, "secret-words"]) {
      const line = await lineOf(() =>
        send("GET", "/v1/nothing/secret-words?token=secret-words", {
          headers: { authorization: `Bearer ${key}`, "x-request-id": "secret-words" },
        }),
      );
      expect(JSON.stringify(line)).not.toMatch(/secret-words|sk_live/);
    }
    for (const path of [
      "/v1/jobs?nextToken=secret-words",
      "/v1/jobs/secret-words",
      "/v1/jobs/sk_live_/result",
    ]) {
      const line = await lineOf(() => client.send("GET", path));
      expect(JSON.stringify(line)).not.toMatch(/secret-words|sk_live/);
    }
  });
});
