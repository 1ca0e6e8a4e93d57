import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { generateApiKey } from "../../../src/core/api-key.ts";
import { newClient, send, type Client } from "../../support/worker/api.ts";

const OPERATIONS = [
  ["POST", "/v1/uploads/presign"],
  ["GET", "/v1/jobs"],
  ["POST", "/v1/jobs"],
  ["GET", "/v1/jobs/job_1"],
  ["GET", "/v1/jobs/job_1/result"],
  ["POST", "/v1/jobs/job_1/download"],
  ["GET", "/v1/jobs/job_1/download"],
] as const;

const flipLast = (key: string) => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");

describe("401 on every operation", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const shapes = (): (string | null)[] => [
    null,
    "",
    "Bearer",
    "Bearer ",
    client.key,
    `Basic ${client.key}`,
    `Bearer: ${client.key}`,
    `Bearer ${client.key} ${client.key}`,
    `Bearer ${client.key}x`,
    `Bearer ${client.key.slice(0, -1)}`,
    `Bearer ${client.key.toLowerCase()}`,
    `Bearer ${flipLast(client.key)}`,
    `Bearer ${generateApiKey()}`,
    `Bearer sk_test_${client.key.slice(8)}`,
    "Bearer null",
    "Bearer a.b.c",
    `Bearer ${"x".repeat(5_000)}`,
  ];

  const expectUnauthorized = async (method: string, path: string, authorization: string | null) => {
    const { status, headers, body } = await send(method, path, {
      headers: authorization === null ? {} : { authorization },
    });
    expect([status, headers.get("www-authenticate")], `${method} ${path} ${authorization}`).toEqual([
      401,
      "Bearer",
    ]);
    expect(body).toEqual({ error: "Unauthorized", message: expect.stringContaining("missing or invalid") });
    expect(headers.get("x-request-id")).toBeTruthy();
  };

  it.each(OPERATIONS)("%s %s refuses every shape of a bad credential", async (method, path) => {
    for (const shape of shapes()) await expectUnauthorized(method, path, shape);
  });

  it("refuses a revoked key on its very next use, and a suspended account", async () => {
    expect((await client.send("GET", "/v1/jobs")).status).toBe(200);
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1").run();
    for (const [method, path] of OPERATIONS) await expectUnauthorized(method, path, `Bearer ${client.key}`);

    const suspended = await newClient();
    await env.DB.prepare("UPDATE accounts SET status = 'suspended'").run();
    await expectUnauthorized("GET", "/v1/jobs", `Bearer ${suspended.key}`);
  });

  it("takes the scheme in any case", async () => {
    const { status } = await send("GET", "/v1/jobs", { headers: { authorization: `bearer ${client.key}` } });
    expect(status).toBe(200);
  });
});
