import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/app.ts";
import { platformOf } from "../../../src/platform.ts";
import { fetchWorker, send } from "../../support/worker/client/api.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const PATHS = [
  "/studio",
  "/studio/jobs/job_x",
  "/studio/shared/job_x",
  "/studio/signed-in?code=x",
  "/studio/config.json",
];

/** An answer of a Worker with other settings. */
const askWith = async (settings: Record<string, string>, path: string): Promise<Response> =>
  await createApp(platformOf).request(path, {}, { ...env, ...settings });

const open = (path: string): Promise<Response> => fetchWorker(new Request(`https://api.test${path}`));

const policyOf = (response: Response): Map<string, string[]> =>
  new Map(
    (response.headers.get("content-security-policy") ?? "").split("; ").map((rule) => {
      const [name = "", ...sources] = rule.split(" ");
      return [name, sources];
    }),
  );

describe("the studio's pages", () => {
  it.each(PATHS)("have the policy: %s", async (path) => {
    const response = await open(path);
    expect(response.status).toBe(200);
    const policy = policyOf(response);
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("script-src")).toEqual(["'self'", "'wasm-unsafe-eval'"]);
    expect(policy.get("worker-src")).toEqual(["'self'"]);
    expect(policy.get("style-src")).toEqual(["'self'"]);
    expect(policy.get("connect-src")).toEqual(["'self'", "https://s3.test", "https://identity.test"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    const sources = [...policy.values()].flat().filter((source) => source !== "'wasm-unsafe-eval'");
    expect(sources.join(" ")).not.toMatch(/unsafe|\*|data:/);
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("ask search engines to ignore shared pages, by a header and in the page, and name no other page's scripts [A23-14]", async () => {
    const shared = await open("/studio/shared/job_x");
    expect(shared.headers.get("x-robots-tag")).toBe("noindex, nofollow");
    const html = await shared.text();
    expect(html).toContain('<meta name="robots" content="noindex, nofollow" />');
    expect(html).toContain('<meta name="referrer" content="no-referrer" />');
    expect(html).toMatch(/\/studio\/assets\/shared-[^"]+\.js/);
    expect((await open("/studio")).headers.get("x-robots-tag")).toBeNull();
  });

  it("load scripts and styles that a browser may cache for ever, because their names change with their content", async () => {
    const html = await (await open("/studio")).text();
    const files = [...html.matchAll(/(?:src|href)="(\/studio\/assets\/[^"]+)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) {
      const response = await open(path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get("cache-control")).toContain("immutable");
    }
    expectError(await send("GET", "/studio/assets/no-such-file.js"), 404, "not_found");
  });

  it("know the deployment's name, its sign-in and a new subscriber's limits, and no secret", async () => {
    const config = await (await open("/studio/config.json")).json();
    expect(config).toEqual({
      name: "Segmentation",
      logoUrl: null,
      maxImagePixels: 100_000_000,
      maxImageBytes: 50_000_000,
      maxVideoBytes: 2_000_000_000,
      // Per day a subscriber without payments may use as much as it may owe.
      paidPlan: {
        maxImageTasksPerJob: 100,
        maxActiveJobs: 1_000,
        maxUnitsPerDay: 10_000,
        maxVideoSeconds: 7_200,
        maxVideoFrames: 3_600,
      },
      signIn: {
        issuer: "https://identity.test",
        clientId: "the-studio",
        scope: "openid email profile offline_access",
        parameters: {},
      },
    });
  });

  it("follow the operator's settings", async () => {
    const settings = {
      STUDIO_NAME: "Cut & Paste",
      STUDIO_LOGO_URL: "https://example.com/logo.svg",
      STUDIO_SIGN_IN_PARAMETERS: "audience=https://api.test",
      STUDIO_IDENTITY_ORIGINS: "https://tokens.test https://more.test/",
      CREDIT_UNITS: "500",
    };
    const response = await askWith(settings, "/studio/config.json");
    expect(await response.json()).toMatchObject({
      name: "Cut & Paste",
      logoUrl: "https://example.com/logo.svg",
      signIn: { parameters: { audience: "https://api.test" } },
      paidPlan: { maxUnitsPerDay: 500 },
    });
    const policy = policyOf(response);
    expect(policy.get("connect-src")).toEqual(
      expect.arrayContaining(["https://tokens.test", "https://more.test"]),
    );
    expect(policy.get("img-src")).toContain("https://example.com/logo.svg");
  });

  it("are not there if the operator has switched the studio off", async () => {
    for (const path of PATHS) {
      const response = await askWith({ STUDIO: "false" }, path);
      expect(response.status, path).toBe(404);
      await response.body?.cancel();
    }
  });

  it("refuse other methods", async () => {
    const response = await send("POST", "/studio/jobs");
    expect(response.headers.get("allow")).toBe("GET");
    expectError(response, 405, "method_not_allowed");
  });
});
