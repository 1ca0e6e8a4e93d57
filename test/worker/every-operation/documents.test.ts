import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/app.ts";
import { OPERATIONS } from "../../../src/operations.ts";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import worker from "../../../src/index.ts";
import { platformOf } from "../../../src/platform.ts";
import { fetchWorker, send } from "../../support/worker/client/api.ts";
import { present } from "../../support/at.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";

const fetchPage = (path: string, init?: RequestInit): Promise<Response> =>
  fetchWorker(new Request(`https://api.test${path}`, init));

describe("/healthz", () => {
  it("is 200 while the settings are right, and 500 while one is missing; the log names it", async () => {
    expect((await send("GET", "/healthz")).body).toEqual({ status: "ok" });
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    const unset = Object.assign({}, env, { MASTER_SECRET: undefined });
    const request = new Request("https://api.test/healthz");
    expect((await worker.fetch(request, unset, createExecutionContext())).status).toBe(500);
    expect(logged.mock.calls.flat().join()).toContain("MASTER_SECRET");
  });
});

describe("the table of operations", () => {
  it("has exactly the routes under /v1 [4-1 9-1]", () => {
    const routes = createApp(platformOf)
      .routes.filter(({ method, path }) => path.startsWith("/v1/") && method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const operations = Object.values(OPERATIONS).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(new Set(routes)).toEqual(new Set(operations));
  });
});

describe("GET /openapi.json", () => {
  it("returns the document to pages of any origin, and 304 if unchanged", async () => {
    const { status, headers, body } = await send("GET", "/openapi.json", {
      headers: { origin: "https://shop.example" },
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body).toEqual(openApiDocument());

    const etag = present(headers.get("etag"), "ETag");
    const again = await fetchPage("/openapi.json", { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect(again.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("the pages", () => {
  it.each([
    ["/", "text/html; charset=UTF-8"],
    ["/docs", "text/html; charset=UTF-8"],
    ["/landing.css", "text/css; charset=utf-8"],
    ["/docs/start.js", "text/javascript; charset=utf-8"],
  ])("%s has its policy, and needs nothing from elsewhere [7-13]", async (path, type) => {
    const response = await fetchPage(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const text = await response.text();
    expect(text).not.toMatch(/https?:|<style|<script>|style=|onclick/);

    const head = await fetchPage(path, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect(head.headers.get("content-type")).toBe(type);
    expectError(await send("POST", path), 405, "method_not_allowed");
  });

  it("names a package only if the operator has published it, under the operator's name", async () => {
    const landing = async (): Promise<string> => await (await fetchPage("/")).text();
    expect(await landing()).not.toMatch(/npx|npm/);
    overrideSettings({ CLIENT_PACKAGE: "@acme/segmentation-client" });
    expect(await landing()).toContain(
      "<code>npx @acme/segmentation-client segment photo.jpg -p cup -p spoon</code>",
    );
  });

  it("name only existing operations", async () => {
    for (const page of ["/", "/docs"]) {
      const html = await (await fetchPage(page)).text();
      for (const [, path = ""] of html.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
        expect((await fetchPage(path)).status, path).toBe(200);
      }
    }
  });

  it("give out no other file of the viewer's package", async () => {
    for (const name of ["package.json", "index.html", "swagger-initializer.js", "..%2fpackage.json", ""]) {
      expectError(await send("GET", `/docs/${name}`), 404, "not_found");
    }
    expectError(await send("GET", "/package.json"), 404, "not_found");
  });
});
