import { describe, expect, it, vi } from "vitest";
import { OPERATIONS } from "../../../src/operations.ts";
import { Accounts } from "../../../src/accounts/store/accounts.ts";
import { fetchWorker, newClient, send } from "../../support/worker/client/api.ts";

const PAGE = { origin: "https://shop.example" };
const ASKED = "authorization,x-api-key,content-type,idempotency-key,x-stainless-lang,x-anything-else";

const preflight = (path: string, method: string): Promise<Response> =>
  fetchWorker(
    new Request(`https://api.test${path}`, {
      method: "OPTIONS",
      headers: {
        ...PAGE,
        "access-control-request-method": method,
        "access-control-request-headers": ASKED,
      },
    }),
  );

describe("a preflight from any origin", () => {
  it.each(Object.values(OPERATIONS))(
    "is granted without authentication: $method $path [8-16]",
    async (operation) => {
      const method = operation.method.toUpperCase();
      const { status, headers } = await preflight(operation.path, method);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("access-control-allow-methods")?.split(",")).toContain(method);
      expect(headers.get("access-control-allow-headers")).toBe(ASKED);
      expect(headers.get("vary")?.toLowerCase()).toContain("access-control-request-headers");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it("is not granted outside the API", async () => {
    for (const path of ["/internal/leases/complete", "/webhooks/stripe", "/docs"]) {
      expect((await preflight(path, "POST")).headers.get("access-control-allow-origin"), path).toBeNull();
    }
  });
});

describe("an answer to another origin", () => {
  const expectReadable = ({ headers }: { headers: Headers }) => {
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const exposed = headers.get("access-control-expose-headers")?.split(",");
    expect(exposed).toEqual([
      "x-request-id",
      "retry-after",
      "idempotent-replayed",
      "x-job-progress",
      "preference-applied",
      "etag",
    ]);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  };

  it("can be read, even if it is an error [7-13 8-16]", async () => {
    const client = await newClient();
    const as = (method: string, path: string, key = client.key) =>
      send(method, path, { headers: { ...PAGE, authorization: `Bearer ${key}` } });
    const answers = [
      [200, await as("GET", "/v1/jobs")],
      [400, await as("POST", "/v1/jobs")],
      [401, await as("GET", "/v1/jobs", "none")],
      [404, await as("GET", "/v1/jobs/job_1")],
      [404, await as("GET", "/v1/nothing")],
      [405, await as("PUT", "/v1/jobs")],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expectReadable(answer);
    }
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Accounts.prototype, "findByKeyDigest").mockRejectedValue(new Error("away"));
    const failed = await as("GET", "/v1/jobs");
    expect(failed.status).toBe(500);
    expectReadable(failed);
  });
});
