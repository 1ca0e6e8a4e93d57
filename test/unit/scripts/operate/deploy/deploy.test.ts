import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import type { Wrangler } from "../../../../../scripts/operate/deploy/cloudflare.ts";
import { runDeploy } from "../../../../../scripts/operate/deploy/run.ts";
import { isLong } from "../../../../../inference-container/test/support/form.ts";
import { runWrangler } from "../../../../../scripts/shared/cloudflare/wrangler.ts";
import {
  aroundEachDeployment,
  deploy,
  prepare,
  Report,
  type Situation,
  world,
} from "../../../../support/stack/deployment.ts";
import { completeAccount, WRANGLER_FAKE } from "../../../../support/stack/half-configured.ts";

aroundEachDeployment();
const { signal } = new AbortController();

describe("npm run deploy -- --dry-run", () => {
  it("finds nothing on a complete account, and deploys nothing", async () => {
    const { exitCode, found, calls, deployed } = await deploy({}, "--dry-run");
    expect({ exitCode, found, deployed }).toEqual({ exitCode: 0, found: [], deployed: false });
    expect(calls).not.toContain("deploy");
    expect(calls).not.toContain("d1 migrations apply DB");
  });

  it("names the migrations that are not applied", async () => {
    const all = (await completeAccount()).applied["DB"]?.toSorted() ?? [];
    expect(all).not.toEqual([]);
    for (const applied of [{}, { DB: [] }])
      expect(await deploy({ account: { applied } }, "--dry-run")).toMatchObject({
        exitCode: 0,
        found: all.map((name) => ({
          severity: "pending",
          what: `migration ${name}`,
          mend: "npx wrangler d1 migrations apply DB --remote",
        })),
      });
  });

  it("refuses a configuration that lets requests to its own domain bypass the firewall [A6-12]", async () => {
    const edit = (toml: string) => toml.replace(', "global_fetch_strictly_public"', "");
    const { exitCode, findings } = await deploy({ edit }, "--dry-run");
    expect(exitCode).toBe(1);
    expect(findings).toEqual([
      {
        severity: "missing",
        what: "global_fetch_strictly_public",
        problem:
          "without it, a customer's webhook or import reaches the other hosts of your domain past firewall and Access",
        mend: 'add "global_fetch_strictly_public" to compatibility_flags in wrangler.toml',
      },
    ]);
  });

  it("asks nothing about Analytics Engine where wrangler.toml has no dataset", async () => {
    const edit = (toml: string) => toml.replace(/\[\[analytics_engine_datasets\]\]\n.*\n.*\n/, "");
    const { found, calls } = await deploy({ edit, account: { running: null } }, "--dry-run");
    expect(found).toEqual([]);
    expect(calls).not.toContain("deployments status");
  });

  it("says if the database is newer than the checkout", async () => {
    const applied = [...((await completeAccount()).applied["DB"] ?? []), "9999_of_tomorrow.sql"];
    const { found } = await deploy({ account: { applied: { DB: applied } } }, "--dry-run");
    expect(found).toMatchObject([{ severity: "warning", what: "migration 9999_of_tomorrow.sql" }]);
  });

  it.each(["/healthz", "/readyz"])(
    "says if the inference service does not answer %s from here",
    async (path) => {
      world.answering = new Set(
        [...world.answering].filter((url) => !url.endsWith(`inference.example.com${path}`)),
      );
      const { exitCode, findings } = await deploy({}, "--dry-run");
      expect(findings).toMatchObject([
        {
          severity: "warning",
          what: "inference service",
          problem: `https://inference.example.com${path} does not answer (connect ECONNREFUSED): tasks would wait`,
        },
      ]);
      expect(exitCode).toBe(0);
    },
  );

  it("runs Wrangler as a program, and prints each missing piece with its command", async () => {
    const folder = await prepare({});
    await writeFile(folder.account, JSON.stringify({ ...(await completeAccount()), queues: [] }));
    vi.stubEnv("WRANGLER_FAKE_ACCOUNT", folder.account);
    const wrangler: Wrangler = (args) => runWrangler(args, {}, signal, "", WRANGLER_FAKE);
    expect(await runDeploy(["--config", folder.config], signal, { wrangler })).toBe(1);
    expect(world.printed).toContain(
      `Missing:\n\n  queue segmentation-interactive: does not exist\n    → npx wrangler queues create segmentation-interactive --config ${folder.config}`,
    );
    expect(world.printed).toContain("Nothing was deployed");
    expect(await readFile(`${folder.account}.calls`, "utf8")).toContain("queues info segmentation-bulk\n");
  });

  it.runIf(isLong)(
    "runs in a fresh clone without an account, and names placeholders and unchecked parts",
    async () => {
      const folder = await prepare({ skipped: ["database", "route", "publicUrl", "endpoint", "inference"] });
      for (const name of ["HOME", "XDG_CONFIG_HOME"]) vi.stubEnv(name, folder.path);
      for (const name of ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CLOUDFLARE_EMAIL"])
        vi.stubEnv(name, undefined);
      expect(await runDeploy(["--dry-run", "--json", "--config", folder.config], signal)).toBe(1);
      const { findings } = Report.parse(JSON.parse(world.printed));
      const of = (severity: string) =>
        findings.filter((one) => one.severity === severity).map(({ what }) => what);
      expect(of("missing")).toEqual(["database_id", "route", "PUBLIC_URL", "S3_ENDPOINT", "INFERENCE_URL"]);
      expect(of("unchecked")).toHaveLength(15);
      expect(findings.filter(({ severity }) => severity === "unchecked")).toSatisfy((all: typeof findings) =>
        all.every(({ problem, mend }) => problem === "not logged in" && mend === "npx wrangler login"),
      );
    },
  );
});

describe("npm run deploy", () => {
  it("applies the migrations, then deploys, then asks the Worker whether it is healthy", async () => {
    const { exitCode, calls, deployed, healthy } = await deploy({ account: { applied: {} } });
    expect({ exitCode, deployed, healthy }).toEqual({ exitCode: 0, deployed: true, healthy: true });
    expect(calls.slice(-2)).toEqual(["d1 migrations apply DB", "deploy"]);
  });

  it("exits with 1 if the deployed Worker does not say that it is healthy", async () => {
    world.answering = new Set(
      [...world.answering].filter((url) => !url.includes("segmentation.example.com")),
    );
    expect(await deploy({})).toMatchObject({ exitCode: 1, deployed: true, healthy: false });
  });

  it.each<[string, Situation]>([
    ["is missing", { account: { queues: [] } }],
    ["could not be checked", { account: { broken: ["d1 list"] } }],
  ])("touches nothing while something %s", async (_, situation) => {
    const { exitCode, calls, ready, deployed } = await deploy(situation);
    expect({ exitCode, ready, deployed }).toEqual({ exitCode: 1, ready: false, deployed: false });
    expect(calls).not.toContain("d1 migrations apply DB");
    expect(calls).not.toContain("deploy");
  });

  it("explains itself, and refuses unknown arguments", async () => {
    expect(await runDeploy(["--help"], signal)).toBe(0);
    expect(world.printed).toContain("npm run deploy -- --dry-run");
    await expect(runDeploy(["--force"], signal)).rejects.toMatchObject({ exitCode: 2 });
    await expect(runDeploy(["--config", "nowhere.toml"], signal)).rejects.toThrow(
      "nowhere.toml cannot be read",
    );
  });
});

describe("wrangler.toml", () => {
  it("gives the Worker only the operator's address", async () => {
    const file = parse(await readFile("wrangler.toml", "utf8"));
    expect(file).toMatchObject({ workers_dev: false, preview_urls: false });
    expect(file).not.toHaveProperty("routes");
  });

  // In CI, create.test.ts has Wrangler read it, and each local stack bundles it.
  it.runIf(isLong)("can be deployed as Wrangler reads it", async () => {
    const { path } = await prepare({});
    const output = await runWrangler(["deploy", "--dry-run", "--outdir", join(path, "built")], {}, signal);
    expect(output).toContain("--dry-run: exiting now.");
  });
});
