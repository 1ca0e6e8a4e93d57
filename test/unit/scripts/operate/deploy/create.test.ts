import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import { parseAdminArguments } from "../../../../../scripts/operate/admin/arguments.ts";
import { runWrangler } from "../../../../../scripts/shared/cloudflare/wrangler.ts";
import { parseVerifyArguments } from "../../../../../scripts/operate/verify/command.ts";
import {
  aroundEachDeployment,
  prepare,
  type Situation,
  world,
} from "../../../../support/stack/deployment.ts";
import { completeAccount, emptyAccount, WRANGLER_FAKE } from "../../../../support/stack/half-configured.ts";
import {
  CHANGES,
  AS_CLONED,
  KEYS,
  create,
  cloneWith,
  never,
} from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

describe("npm run deploy -- --create", () => {
  const stubKeys = () => {
    for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
  };
  const withUploads: Situation = { skipped: AS_CLONED };

  it("makes everything in an empty account and deploys, in one run; and again without a change", async () => {
    stubKeys();
    const clone = await cloneWith(emptyAccount(), withUploads);
    expect(await clone.run(create), world.printed).toBe(0);
    expect(world.printed).toContain("Deployed: https://segmentation.example.com/healthz answers 200.");
    const { queues, buckets, secrets, stored, applied, deployed } = clone.account;
    expect(queues.toSorted()).toEqual(
      ["archive", "bulk", "dead-letters", "interactive", "trial", "upkeep", "uploads"].map(
        (name) => `segmentation-${name}`,
      ),
    );
    expect(buckets["segmentation-media"]).toEqual({
      methods: ["PUT", "GET", "HEAD"],
      lifecycle: [
        { prefix: "", enabled: true, days: null },
        ...["inputs/", "outputs/", "archives/"].map((prefix) => ({ prefix, enabled: true, days: 33 })),
      ],
      events: [
        { queue: "segmentation-uploads", prefix: "inputs/", types: expect.stringContaining("PutObject") },
      ],
    });
    expect(secrets?.toSorted()).toEqual([
      "INFERENCE_TOKEN",
      "MASTER_SECRET",
      "OPERATOR_TOKEN",
      "S3_ACCESS_KEY_ID",
      "S3_SECRET_ACCESS_KEY",
    ]);
    expect(stored).toMatchObject(KEYS);
    expect({ applied, deployed }).toEqual({ applied: (await completeAccount()).applied, deployed: true });
    expect(clone.calls.filter((words) => words === "whoami")).toHaveLength(1);

    const before = [structuredClone(clone.account), await clone.own(), await clone.env()];
    expect(await clone.run(create)).toBe(0);
    expect(clone.calls.filter((words) => CHANGES.test(words))).toEqual([]);
    expect([clone.account, await clone.own(), await clone.env()]).toEqual(before);
  });

  it("goes as the operator's guide begins: it stops once for the storage's credentials, and names the two commands that follow", async () => {
    const guide = await readFile("docs/operations/deploy.md", "utf8");
    const [, commands = ""] = /```sh\n(.*?)```/s.exec(guide) ?? [];
    const [login, deploy = "", service = "", admin = "", verify = "", ...more] = commands.trim().split("\n");
    expect([login, more]).toEqual(["npx wrangler login", []]);
    expect(service).toContain("-f inference-container/compose.yaml");
    const argumentsOf = (line: string) => line.split(" -- ")[1]?.split(" ") ?? [];
    const clone = await cloneWith(emptyAccount());
    const run = () => clone.run(argumentsOf(deploy), { answers: () => "" });
    expect(await run()).toBe(1);
    const missing = [...world.printed.matchAll(/^ {2}(\w+): the secret is not set/gm)].map(
      ([, name]) => name,
    );
    expect(missing).toEqual(Object.keys(KEYS));
    expect(world.printed).toContain("https://dash.cloudflare.com/?to=/:account/r2/api-tokens");
    expect(await clone.env()).toContain("INFERENCE_TOKEN=");
    stubKeys();
    expect(await run()).toBe(0);
    expect(world.printed.trimEnd().split("\n").slice(-2)).toEqual([`  ${admin}`, `  ${verify}`]);
    expect(parseAdminArguments(argumentsOf(admin))).toMatchObject({ remote: true });
    expect(parseVerifyArguments(argumentsOf(verify))).toMatchObject({
      url: "https://segmentation.example.com",
    });
  });

  it("says first that there is no login, and stops there", async () => {
    const clone = await cloneWith({ ...emptyAccount(), loggedIn: false });
    const before = await clone.own();
    await expect(clone.run(create)).rejects.toThrow(
      "Wrangler is not logged in to Cloudflare. First: npx wrangler login",
    );
    expect([clone.calls, await clone.own()]).toEqual([["whoami"], before]);
  });

  it("generates secrets of 32 bytes that only Cloudflare and a private file have", async () => {
    stubKeys();
    const clone = await cloneWith(emptyAccount());
    const spied = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(await clone.run(create)).toBe(0);
    const { MASTER_SECRET = "", INFERENCE_TOKEN = "", OPERATOR_TOKEN = "" } = clone.account.stored;
    for (const secret of [MASTER_SECRET, INFERENCE_TOKEN, OPERATOR_TOKEN]) {
      expect(Buffer.from(secret, "base64url")).toHaveLength(32);
      expect(world.printed + clone.calls.join("\n") + String(await clone.own())).not.toContain(secret);
    }
    expect(spied).not.toHaveBeenCalled();
    expect(new Set([MASTER_SECRET, INFERENCE_TOKEN, OPERATOR_TOKEN]).size).toBe(3);
    const env = await clone.env();
    expect(env).toContain(
      `\nMASTER_SECRET=${MASTER_SECRET}\nINFERENCE_TOKEN=${INFERENCE_TOKEN}\nOPERATOR_TOKEN=${OPERATOR_TOKEN}\n`,
    );
    const last = world.printed.trimEnd().split("\n").slice(-4);
    expect(last[0]).toMatch(
      /^Keep wrangler\.operator\.env, .* it has MASTER_SECRET, INFERENCE_TOKEN, OPERATOR_TOKEN, which Cloudflare never shows again\.$/,
    );
    const { mode } = await stat(join(clone.folder.path, "wrangler.operator.env"));
    expect(mode & 0o777).toBe(0o600);
  });

  it("gives Wrangler a secret by its standard input", async () => {
    const folder = await prepare({});
    await writeFile(folder.account, JSON.stringify(emptyAccount()));
    vi.stubEnv("WRANGLER_FAKE_ACCOUNT", folder.account);
    await runWrangler(["secret", "bulk"], {}, never, JSON.stringify(KEYS), WRANGLER_FAKE);
    expect(JSON.parse(await readFile(folder.account, "utf8"))).toMatchObject({ stored: KEYS });
  });

  it("asks before each step, takes Enter for yes, and skips declined steps", async () => {
    stubKeys();
    const clone = await cloneWith(emptyAccount());
    const questions: string[] = [];
    const answers = (question: string) => {
      questions.push(question);
      if (question.startsWith("Which domain"))
        return questions.length === 1 ? "not a domain" : "segmentation.example.com";
      if (question.startsWith("At which URL")) return "https://inference.example.com";
      return question.includes("segmentation-bulk") ? "n" : "";
    };
    expect(await clone.run(["--create"], { answers })).toBe(1);
    expect(questions.slice(0, 2).every((question) => question.startsWith("Which domain"))).toBe(true);
    expect(questions).toEqual(
      expect.arrayContaining([
        "Create the database segmentation? [Y/n]",
        "Create the queue segmentation-bulk? [Y/n]",
        "Create the bucket segmentation-media? [Y/n]",
        "Generate MASTER_SECRET, INFERENCE_TOKEN, OPERATOR_TOKEN and store them as secrets? [Y/n]",
        "Store S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY of the environment as secrets? [Y/n]",
        "Let the pages of https://segmentation.example.com upload to segmentation-media and read from it? [Y/n]",
      ]),
    );
    expect(clone.account.queues).not.toContain("segmentation-bulk");
    expect(clone.account.queues).toHaveLength(6);
    expect(world.printed).toContain(
      "queue segmentation-bulk: does not exist\n    → npx wrangler queues create segmentation-bulk",
    );
    expect(clone.account.deployed).toBe(false);
  });

  it("lists its limits, each with the next step", async () => {
    const clone = await cloneWith(emptyAccount());
    expect(await clone.run(["--create", "--yes"])).toBe(1);
    for (const step of [
      'route: the Worker has no address\n    → set routes = [{ pattern = "your.domain", custom_domain = true }] in wrangler.operator.toml, or npm run deploy -- --create --domain your.domain',
      'set PUBLIC_URL = "https://your.domain" in [vars] of wrangler.operator.toml',
      'set INFERENCE_URL = "https://your.inference.service" in [vars] of wrangler.operator.toml',
      "Secret Access Key (S3_SECRET_ACCESS_KEY); then npx wrangler secret put S3_ACCESS_KEY_ID",
      "set OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL in [vars] of wrangler.operator.toml",
      "set STRIPE_PRICE_ID in [vars] of wrangler.operator.toml",
      "enable it once in Cloudflare's dashboard",
    ]) {
      expect(world.printed).toContain(step);
    }
    expect(world.printed).toContain("Nothing was deployed. Do what the arrows say");
  });

  it.each<[string, string | undefined, readonly string[], string | undefined]>([
    ["the only one of the login", undefined, ["a1"], "https://a1.r2.cloudflarestorage.com"],
    ["that of the environment", "a2", ["a1", "a2"], "https://a2.r2.cloudflarestorage.com"],
    ["none of several", undefined, ["a1", "a2"], undefined],
  ])("takes R2's endpoint from the account: %s", async (_, named, accounts, endpoint) => {
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", named);
    const clone = await cloneWith({ ...emptyAccount(), accounts: [...accounts] });
    await clone.run(create);
    expect(parse((await clone.own()) ?? "")["vars"]).toHaveProperty("PUBLIC_URL");
    expect(parse((await clone.own()) ?? "")["vars"]).toEqual(
      expect.objectContaining(endpoint === undefined ? {} : { S3_ENDPOINT: endpoint }),
    );
    expect(String(await clone.own()).includes("S3_ENDPOINT")).toBe(endpoint !== undefined);
  });

  it("refuses contradictory options, and asks nothing without a terminal", async () => {
    const clone = await cloneWith(emptyAccount());
    for (const args of [
      ["--yes"],
      ["--domain", "a.example.com"],
      ["--create", "--dry-run"],
      ["--create", "--json"],
      ["--create"],
      ["--create", "--yes", "--domain", "https://a.example.com"],
      ["--create", "--yes", "--inference-url", "http://127.0.0.1:8788"],
    ]) {
      await expect(clone.run(args), args.join(" ")).rejects.toMatchObject({ exitCode: 2 });
    }
    expect(clone.calls.filter((words) => CHANGES.test(words))).toEqual([]);
  });

  it("refuses an inference service without https, and says what to do", async () => {
    const clone = await cloneWith(emptyAccount());
    for (const url of ["http://203.0.113.5:8788", "ftp://there.example.com", "javascript:alert(1)", "there"])
      await expect(clone.run(["--create", "--yes", "--inference-url", url]), url).rejects.toThrow(
        /It must be an https URL .* Put TLS in front of the service/,
      );
    expect(await clone.own()).toBeNull();
  });

  it("prints its changes and failures as JSON", async () => {
    const clone = await cloneWith({ ...emptyAccount(), broken: ["queues create segmentation-bulk"] });
    expect(await clone.run([...create, "--json"])).toBe(1);
    expect(JSON.parse(world.printed)).toMatchObject({
      deployed: false,
      created: {
        made: expect.arrayContaining(["Create the database segmentation"]),
        failed: [
          { what: "Create the queue segmentation-bulk", reason: expect.stringContaining("Authentication") },
        ],
      },
    });
  });
});
