import { execFile } from "node:child_process";
import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { parseAdminArguments } from "../../../../../scripts/operate/admin/arguments.ts";
import { runDeploy } from "../../../../../scripts/operate/deploy/run.ts";
import { isLong } from "../../../../../inference-container/test/support/form.ts";
import { runWrangler } from "../../../../../scripts/shared/cloudflare/wrangler.ts";
import { parseVerifyArguments } from "../../../../../scripts/operate/verify/command.ts";
import {
  aroundEachDeployment,
  prepare,
  type Situation,
  standIn,
  world,
} from "../../../../support/stack/deployment.ts";
import {
  completeAccount,
  emptyAccount,
  WRANGLER_STAND_IN,
} from "../../../../support/stack/half-configured.ts";
import type { StandInAccount } from "../../../../support/stack/wrangler/account.ts";

aroundEachDeployment();
const { signal: never } = new AbortController();

const ADDRESSES = [
  "--domain",
  "segmentation.example.com",
  "--inference-url",
  "https://inference.example.com",
];
/** A hundred runs after one another, on a busy machine. */
const MANY_RUNS_MS = 240_000;
/** As the clone is, before an operator has changed anything. */
const AS_CLONED = ["database", "route", "publicUrl", "endpoint", "inference"] as const;
const KEYS = { S3_ACCESS_KEY_ID: "the-key-id", S3_SECRET_ACCESS_KEY: "the-secret-key" };

/** What changes an account, apart from the deployment itself. */
const CHANGES =
  /^(?:d1 create|queues create|r2 bucket (?:create|cors set|notification create|lifecycle add)|secret bulk)/;

/** A clone and an account, in which the command can be run several times. */
async function cloneWith(account: StandInAccount, situation: Situation = { skipped: AS_CLONED }) {
  const folder = await prepare(situation);
  const { wrangler, calls } = standIn(account);
  const read = (name: string) => readFile(join(folder.path, name), "utf8").catch(() => null);
  return {
    account,
    calls,
    folder,
    own: () => read("wrangler.operator.toml"),
    env: () => read("wrangler.operator.env"),
    run: (
      args: readonly string[],
      { answers = null as null | ((question: string) => string), signal = never, onCall = () => {} } = {},
    ) => {
      calls.length = 0;
      world.printed = "";
      return runDeploy(["--config", folder.config, ...args], signal, {
        healthPatienceMs: 0,
        operator: { ask: answers === null ? null : async (question) => answers(question) },
        wrangler: (words, ...rest) => {
          onCall();
          signal.throwIfAborted();
          return wrangler(words, ...rest);
        },
      });
    },
  };
}

const Config = z.object({
  main: z.string(),
  vars: z.record(z.string(), z.unknown()),
  routes: z.unknown(),
  d1_databases: z.unknown(),
  queues: z.object({ consumers: z.array(z.looseObject({ queue: z.string() })) }),
});

/** What Wrangler itself reads. In a process of its own, because Wrangler changes the one that it is loaded into. */
async function readAsWrangler(path: string) {
  const script = `import { unstable_readConfig } from "wrangler"; console.log(JSON.stringify(unstable_readConfig({ config: ${JSON.stringify(path)} })))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return Config.parse(JSON.parse(stdout));
}

const create = ["--create", "--yes", ...ADDRESSES];

/** An account without what is different each time: the generated secrets' values. */
const shapeOf = ({ stored, ...account }: StandInAccount) => ({
  ...account,
  queues: account.queues.toSorted(),
  secrets: account.secrets?.toSorted(),
  stored: Object.keys(stored).toSorted(),
  buckets: Object.fromEntries(
    Object.entries(account.buckets).map(([name, { lifecycle, ...bucket }]) => [
      name,
      { ...bucket, lifecycle: lifecycle.toSorted((a, b) => a.prefix.localeCompare(b.prefix)) },
    ]),
  ),
});

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

    const before = [structuredClone(clone.account), await clone.own(), await clone.env()];
    expect(await clone.run(create)).toBe(0);
    expect(clone.calls.filter((words) => CHANGES.test(words))).toEqual([]);
    expect([clone.account, await clone.own(), await clone.env()]).toEqual(before);
  });

  it("goes as the operator's guide begins: it stops once for the storage's credentials, and names the two commands that follow", async () => {
    const guide = await readFile("docs/operations.md", "utf8");
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
    vi.stubEnv("WRANGLER_STAND_IN_ACCOUNT", folder.account);
    await runWrangler(["secret", "bulk"], {}, never, JSON.stringify(KEYS), WRANGLER_STAND_IN);
    expect(JSON.parse(await readFile(folder.account, "utf8"))).toMatchObject({ stored: KEYS });
  });

  it(
    "finishes what a run left half done, whichever step Cloudflare refused or did not answer",
    async () => {
      stubKeys();
      const whole = await cloneWith(emptyAccount(), withUploads);
      expect(await whole.run(create)).toBe(0);
      const commands = new Set(whole.calls.filter((words) => CHANGES.test(words)));
      expect(commands.size).toBeGreaterThan(10);
      for (const fault of ["broken", "lost"] as const) {
        for (const command of commands) {
          const clone = await cloneWith(emptyAccount(), withUploads);
          clone.account[fault] = [command];
          const first = await clone.run(create);
          expect(world.printed, command).toMatch(/^✗ .*(?:Authentication error|timed out)/m);
          // A page without CORS is the operator's to judge; what Cloudflare has all the same is found there.
          const goesOn = fault === "lost" || command.includes("cors");
          if (!goesOn) expect([command, first, clone.account.deployed]).toEqual([command, 1, false]);
          const stored = { ...clone.account.stored };
          clone.account[fault] = [];
          expect(await clone.run(create), `${command}: ${world.printed}`).toBe(0);
          expect(shapeOf(clone.account), command).toEqual(shapeOf(whole.account));
          expect(clone.account.stored).toMatchObject(stored);
          expect(await clone.env()).toContain(`\nMASTER_SECRET=${clone.account.stored["MASTER_SECRET"]}\n`);
        }
      }
    },
    MANY_RUNS_MS,
  );

  it(
    "finishes what a run left half done that was ended before any of its changes",
    async () => {
      stubKeys();
      const whole = await cloneWith(emptyAccount(), withUploads);
      expect(await whole.run(create)).toBe(0);
      const ends = whole.calls.flatMap((words, call) => (isLong || CHANGES.test(words) ? [call] : []));
      expect(ends.length).toBeGreaterThan(10);
      for (const end of ends) {
        const clone = await cloneWith(emptyAccount(), withUploads);
        const controller = new AbortController();
        let count = 0;
        const onCall = () => {
          if (count === end) controller.abort(new Error("ended"));
          count += 1;
        };
        await expect(clone.run(create, { signal: controller.signal, onCall })).rejects.toThrow("ended");
        const isMade = (await clone.env())?.includes("MASTER_SECRET=") === true;
        const last = world.printed.trimEnd().split("\n").at(-1);
        expect(last?.startsWith("Keep wrangler.operator.env")).toBe(isMade);
        const stored = { ...clone.account.stored };
        expect(await clone.run(create), `${end}: ${world.printed}`).toBe(0);
        expect(shapeOf(clone.account), String(end)).toEqual(shapeOf(whole.account));
        expect(clone.account.stored).toMatchObject(stored);
      }
    },
    MANY_RUNS_MS,
  );

  it("asks before each step, takes Enter for yes, and leaves what the operator declines", async () => {
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

  it("says what it cannot do, each with the next step", async () => {
    const clone = await cloneWith(emptyAccount());
    expect(await clone.run(["--create", "--yes"])).toBe(1);
    for (const step of [
      'route: the Worker has no address\n    → set routes = [{ pattern = "your.domain", custom_domain = true }] in wrangler.operator.toml, or npm run deploy -- --create --domain your.domain',
      'set PUBLIC_URL = "https://your.domain" in [vars] of wrangler.operator.toml',
      'set INFERENCE_URL = "https://your.inference.service" in [vars] of wrangler.operator.toml',
      "create an R2 API token with object read and write for the bucket at https://dash.cloudflare.com/?to=/:account/r2/api-tokens, then npx wrangler secret put S3_ACCESS_KEY_ID",
      "set OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL in [vars] of wrangler.operator.toml",
      "set STRIPE_PRICE_ID in [vars] of wrangler.operator.toml",
      "enable it once in Cloudflare's dashboard",
    ]) {
      expect(world.printed).toContain(step);
    }
    expect(world.printed).toContain(
      "Nothing was deployed. Fix what is left, which this command cannot do itself",
    );
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

  it("uses the account's database of that name, and leaves an id that it does not know", async () => {
    const existing = { uuid: "99999999-0000-0000-0000-000000000000", name: "segmentation" };
    const fresh = await cloneWith(
      { ...(await completeAccount()), databases: [existing] },
      { skipped: ["database"] },
    );
    expect(await fresh.run(["--create", "--yes"])).toBe(0);
    expect(parse((await fresh.own()) ?? "")).toEqual({
      d1_databases: [{ binding: "DB", database_id: existing.uuid }],
    });
    for (const databases of [[], [existing]]) {
      const other = await cloneWith({ ...(await completeAccount()), databases }, {});
      expect(await other.run(["--create", "--yes"])).toBe(1);
      expect(other.calls.filter((words) => CHANGES.test(words))).toEqual([]);
      expect(await other.own()).toBeNull();
    }
  });

  it("leaves CORS rules, lifecycle rules and secrets that are there", async () => {
    const account = await completeAccount();
    const bucket = account.buckets["segmentation-media"];
    if (bucket === undefined) throw new Error("no bucket");
    bucket.methods = ["GET"];
    bucket.lifecycle = [{ prefix: "inputs/", enabled: true, days: 2 }, ...bucket.lifecycle.slice(2)];
    const clone = await cloneWith(account, {});
    expect(await clone.run(["--create", "--yes"])).toBe(1);
    expect(clone.calls.filter((words) => CHANGES.test(words))).toEqual([]);
    expect(world.printed).toContain("deletes objects after 2 days that the service keeps for 30");
  });

  it("makes no secret while it does not know which there are", async () => {
    const clone = await cloneWith({ ...emptyAccount(), broken: ["secret list"] });
    expect(await clone.run(create)).toBe(1);
    expect(clone.calls).not.toContain("secret bulk");
  });

  it("lets the bucket report uploads to the queue that only the bucket fills, and to no other", async () => {
    const account = await completeAccount();
    const media = account.buckets["segmentation-media"] ?? expect.fail();
    media.events = [{ queue: "elsewhere", prefix: "", types: "PutObject" }];
    const clone = await cloneWith(account, {});
    expect(await clone.run(["--dry-run"])).toBe(1);
    expect(world.printed).toContain(
      "r2 bucket notification create segmentation-media --event-types object-create --prefix inputs/ --queue segmentation-uploads",
    );
    expect(await clone.run(["--create", "--yes"])).toBe(0);
    expect(media.events.map(({ queue }) => queue)).toEqual(["elsewhere", "segmentation-uploads"]);
  });

  it("adds the rate limits that a configuration of before them lacks", async () => {
    const edit = (toml: string) =>
      toml.replace(/\[\[ratelimits\]\]\nname = "ADDRESS_RATE_LIMIT"\n.*\n.*\n/, "");
    const clone = await cloneWith(await completeAccount(), { edit });
    expect(await clone.run(["--dry-run"])).toBe(1);
    expect(world.printed).toContain("rate limit ADDRESS_RATE_LIMIT");
    expect(await clone.run(["--create", "--yes"])).toBe(0);
    expect(parse((await clone.own()) ?? "")).toEqual({
      ratelimits: [{ name: "ADDRESS_RATE_LIMIT", namespace_id: "1002", simple: { limit: 300, period: 60 } }],
    });
  });

  it("refuses options that contradict each other, and asks nobody where there is no terminal", async () => {
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
    expect(clone.calls).toEqual([]);
  });

  it("refuses an inference service without https, and says what to do", async () => {
    const clone = await cloneWith(emptyAccount());
    for (const url of ["http://203.0.113.5:8788", "ftp://there.example.com", "javascript:alert(1)", "there"])
      await expect(clone.run(["--create", "--yes", "--inference-url", url]), url).rejects.toThrow(
        /It must be an https URL .* Put TLS in front of the service/,
      );
    expect(await clone.own()).toBeNull();
  });

  it("prints what it made and what it could not as JSON", async () => {
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

describe("wrangler.operator.toml", () => {
  it("stays as the operator wrote it, comments too, and the next version's wrangler.toml is merged under it", async () => {
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", undefined);
    const clone = await cloneWith(await completeAccount(), { skipped: AS_CLONED });
    const mine =
      '# Mine.\n\n[vars]\n# For the summer.\nRETENTION_DAYS = 20\n\n[[queues.consumers]]\nqueue = "segmentation-bulk"\nmax_retries = 5\n';
    await writeFile(join(clone.folder.path, "wrangler.operator.toml"), mine);
    expect(await clone.run(create), world.printed).toBe(0);
    const own = (await clone.own()) ?? "";
    for (const line of mine.trim().split("\n")) expect(own).toContain(line);

    // An upgrade brings a queue and a setting.
    const toml = await readFile(clone.folder.config, "utf8");
    await writeFile(
      clone.folder.config,
      `${toml.replace("[vars]", '[vars]\nSTUDIO_NAME = "New"')}\n[[queues.consumers]]\nqueue = "segmentation-new"\n`,
    );
    await clone.run(["--dry-run"]);
    expect(await clone.own()).toBe(own);
    const config = await readAsWrangler(join(clone.folder.path, "wrangler.effective.json"));
    expect(config.vars).toMatchObject({
      STUDIO_NAME: "New",
      RETENTION_DAYS: 20,
      PUBLIC_URL: "https://segmentation.example.com",
      S3_BUCKET: "segmentation-media",
    });
    expect(config.routes).toEqual([{ pattern: "segmentation.example.com", custom_domain: true }]);
    expect(config.d1_databases).toMatchObject([
      { binding: "DB", database_name: "segmentation", database_id: clone.account.databases[0]?.uuid },
    ]);
    const { consumers } = config.queues;
    expect(consumers.find(({ queue }) => queue === "segmentation-bulk")).toMatchObject({
      max_retries: 5,
      dead_letter_queue: "segmentation-dead-letters",
    });
    expect(consumers.map(({ queue }) => queue)).toContain("segmentation-uploads");
    expect(config.main).toBe(join(clone.folder.path, "src", "index.ts"));
  });

  it("is refused with its name if it cannot be read, and nothing of git's is in it", async () => {
    const clone = await cloneWith(await completeAccount(), {});
    await appendFile(join(clone.folder.path, "wrangler.operator.toml"), "[vars\n");
    await expect(clone.run(["--dry-run"])).rejects.toThrow("wrangler.operator.toml cannot be read");
    const ignored = (await readFile(".gitignore", "utf8")).split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining(["*.operator.toml", "*.operator.env", "*.effective.json"]),
    );
    expect((await readdir(".")).filter((name) => /operator|effective/.test(name))).toEqual([]);
  });
});
