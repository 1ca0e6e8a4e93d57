import { rm } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { runDeploy } from "../../scripts/operate/deploy/run.ts";
import type { Outcome } from "../../scripts/operate/verify/row.ts";
import { ROWS } from "../../scripts/operate/verify/run.ts";
import { verifyService } from "../../scripts/operate/verify/service.ts";
import { DELETED, named, QUICK_BREAKAGES, SLOW_BREAKAGES } from "../support/network/breakages.ts";
import type { Breakage } from "../support/network/breaking-proxy.ts";
import { fake } from "../support/stack/deployment.ts";
import { copyConfiguration, emptyAccount } from "../support/stack/half-configured.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";
import { PATIENT, VerifiedStack } from "../support/stack/verified-stack.ts";

describe("npm run verify", () => {
  let shared: SharedStack;
  let stack: VerifiedStack;
  beforeAll(async () => {
    shared = await useSharedStack();
    stack = new VerifiedStack(shared);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await stack.close();
  });

  it("deploys into an empty account and verifies every row of the service in one run, and leaves nothing", async () => {
    const folder = await copyConfiguration(["database", "route", "publicUrl", "endpoint", "inference"]);
    const { accountId, secret } = await stack.account();
    vi.stubEnv("SEGMENTATION_API_KEY", secret);
    vi.stubEnv("S3_ACCESS_KEY_ID", "the-key-id");
    vi.stubEnv("S3_SECRET_ACCESS_KEY", "the-secret-key");
    const { fetch: real } = globalThis;
    // The fake deployment's hosts are the stack's.
    const hosts = [
      ["https://segmentation.example.com", shared.baseUrl],
      ["https://inference.example.com", shared.inferenceUrl],
    ] as const;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const url = String(input instanceof Request ? input.url : input);
      const [from = "", to = ""] = hosts.find(([host]) => url.startsWith(host)) ?? [];
      return real(url.replace(from, to), init);
    });
    let printed = "";
    vi.spyOn(console, "log").mockImplementation((text: unknown) => void (printed += `${String(text)}\n`));
    const [domain, inferenceUrl] = ["segmentation.example.com", "https://inference.example.com"];
    const addresses = ["--domain", domain, "--inference-url", inferenceUrl];
    const code = await runDeploy(
      ["--create", "--yes", "--verify", "--json", "--config", folder.config, ...addresses],
      new AbortController().signal,
      {
        wrangler: fake(emptyAccount()).wrangler,
        verify: ({ apiKey }, signal) =>
          verifyService({ baseUrl: shared.baseUrl, apiKey, state: stack.state, form: PATIENT }, signal),
      },
    );
    await rm(folder.path, { recursive: true });
    const { verified, ...report } = JSON.parse(printed);
    expect(report).toMatchObject({ ready: true, deployed: true, healthy: true });
    const rows: Outcome[] = verified;
    expect(rows.filter(({ verdict }) => verdict === "wrong")).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual([...ROWS.map(({ name }) => name), DELETED]);
    // A local stack's storage has the service's own origin; a busy machine is too slow for the last.
    const mayBeLeftOut = new Set(["CORS of the bucket", "rate limit", "pool gateway", "pool container"]);
    const leftOut = rows.filter(({ verdict }) => verdict === "left out").map(({ name }) => name);
    expect(leftOut.filter((name) => !mayBeLeftOut.has(name))).toEqual([]);
    expect(code).toBe(0);
    expect(await stack.remains(accountId)).toEqual([0, 0, 0]);
  });

  it.each(named(QUICK_BREAKAGES))("names %s: %s", async (row, _how, { seen, broken }) => {
    const outcomes = await stack.verify(row, await broken(stack));
    const found = outcomes.find(({ name }) => name === row);
    expect(found).toMatchObject({ verdict: "wrong", saw: expect.stringMatching(seen) });
    expect(found?.mend?.length).toBeGreaterThan(20);
  });

  it("has a test of each row that breaks it", () => {
    const broken = new Set([...QUICK_BREAKAGES, ...SLOW_BREAKAGES].map(({ row }) => row));
    // Unit tests break them.
    expect(ROWS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([
      "pool url",
      "pool gateway",
      "pool container",
      "database",
      "batches of the database",
      "an alarm's delay",
      "protocol",
    ]);
  });

  it("sees that a bucket on another origin lets the studio upload", async () => {
    const storage: Breakage = {
      answer: ({ method, headers }) =>
        method === "OPTIONS"
          ? { status: 204, headers: { "access-control-allow-origin": headers["origin"] ?? "" } }
          : undefined,
    };
    const outcomes = await stack.verify("CORS of the bucket", { storage });
    expect(outcomes[0]).toMatchObject({ verdict: "ok" });
  });
});
