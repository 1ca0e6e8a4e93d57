import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { openLocalDatabase } from "../../scripts/shared/database/database.ts";
import { sql } from "../../scripts/shared/database/sql.ts";
import { type ApiClient, createClient } from "../../scripts/shared/api-client.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { StripeState } from "../../scripts/local/fakes/stripe/state.ts";
import { signIn } from "../../scripts/operate/sign-in.ts";
import { Account, AccountOverview } from "../../src/accounts/contract/account.ts";
import { CreatedApiKey } from "../../src/accounts/contract/api-key.ts";
import { at, only, present } from "../support/at.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";
import { BillingUrl } from "../../src/billing/contract/billing.ts";

const EMAIL = "grace.hopper@example.com";
const OUTBOX_CRON = "*/5 * * * *";
const PATIENCE = { timeout: 150_000, interval: 200 };

/** From a stranger to a paying customer and back, each test from where the one before it ended. */
describe("an account, by the public API and the fakes' pages", () => {
  let stack: SharedStack;
  let token: string;
  let accountId: string;
  let portal: string;
  /** The pictures' taskIds, and a job that ended well. */
  let tasks: string[];
  let trialJob: string;
  beforeAll(async () => {
    stack = await useSharedStack();
  });

  const client = (credential = token): ApiClient => createClient({ ...stack, apiKey: credential });
  const call = (method: "GET" | "POST", path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`${stack.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const overview = async () =>
    AccountOverview.parse(await (await call("GET", "/v1/account/overview")).json());
  const accessIs = (mode: string) =>
    expect.poll(async () => (await overview()).access.mode, PATIENCE).toBe(mode);
  const newKey = () => ({ "idempotency-key": crypto.randomUUID() });
  const session = async (kind: "checkout" | "portal") => {
    const response = await call("POST", `/v1/billing/${kind}`, newKey());
    expect(response.status).toBe(201);
    return BillingUrl.parse(await response.json()).url;
  };
  const press = async (address: string) => {
    const response = await fetch(address, { method: "POST", redirect: "manual" });
    expect(response.status).toBe(303);
  };
  const usesAtProvider = async () => {
    const text = await readFile(stateFolder(stack.stateDir).billing, "utf8");
    const { customers, uses } = StripeState.parse(JSON.parse(text));
    const { id } = only(customers.filter((customer) => customer.accountId === accountId));
    return uses.filter((use) => use.customer === id);
  };
  const settled = async () => {
    const database = await openLocalDatabase(stateFolder(stack.stateDir));
    const [rows] = await database.run([
      sql`SELECT fund, sum(units) AS units FROM ledger
          WHERE account_id = ${accountId} AND kind = 'settle' GROUP BY fund ORDER BY fund`,
    ]);
    return rows;
  };

  it("signs in, twice at once, and is one account with a trial to begin", async () => {
    const tokens = await Promise.all([1, 2].map(() => signIn(stack.identityUrl, EMAIL)));
    const accounts = await Promise.all(
      tokens.map(async (one) => {
        token = one;
        return Account.parse(
          await (await call("GET", "/v1/account", { authorization: `Bearer ${one}` })).json(),
        );
      }),
    );
    expect(accounts[0]).toEqual(accounts[1]);
    expect(accounts[0]).toMatchObject({
      email: EMAIL,
      emailVerified: true,
      name: "Grace Hopper",
      status: "active",
    });
    accountId = at(accounts, 0).accountId;
    expect(await overview()).toMatchObject({
      access: { mode: "trial", reason: "trial_eligible" },
      trial: { status: "eligible", remainingTokens: 100, startedAt: null },
      billing: {},
    });
  });

  it("runs a job on the trial, which begins with it and has 99 tokens left", async () => {
    tasks = await Promise.all(
      (["chelsea", "coffee", "astronaut", "chelsea"] as const).map((name) =>
        client().upload(sample(name), "image/png"),
      ),
    );
    const { jobId } = await client().createImageJob({ tasks: tasks.slice(0, 1), prompts: ["cat"] });
    expect((await client().waitForJob(jobId)).status).toBe("success");
    trialJob = jobId;
    await expect.poll(overview, PATIENCE).toMatchObject({
      trial: { status: "active", consumedTokens: 1, remainingTokens: 99, activeJobId: null },
    });
  });

  it("is refused a fourth picture and a video on the trial, with 402 [1-7]", async () => {
    const four = await call("POST", "/v1/jobs", {}, { type: "image", prompts: ["cat"], tasks });
    expect([four.status, await four.json()]).toMatchObject([402, { error: "trial_limit_exceeded" }]);
    const taskId = await client().upload(sample("coffee"), "video/mp4");
    const video = await call("POST", "/v1/jobs", {}, { type: "video", prompts: ["cat"], tasks: [taskId] });
    expect([video.status, await video.json()]).toMatchObject([402, { error: "trial_video_unsupported" }]);
  });

  it("makes an API key that works like the access token", async () => {
    const response = await call("POST", "/v1/api-keys", newKey(), { label: "walk" });
    const { secret } = CreatedApiKey.parse(await response.json());
    const { items } = await client(present(secret, "secret")).listJobs();
    expect(items.map((job) => job.jobId)).toEqual([trialJob]);
  });

  it("pays at the checkout and is let in by the webhook [1-7]", async () => {
    const checkout = await session("checkout");
    expect(new URL(checkout).origin).toBe(stack.billingUrl);
    expect(await (await fetch(checkout)).text()).toContain(`<b>${EMAIL}</b>`);
    await press(checkout);
    await accessIs("paid");
    expect((await overview()).billing).toMatchObject({
      accessStatus: "allowed",
      stripeSubscriptionStatus: "active",
      latestInvoiceStatus: "paid",
    });
    const again = await call("POST", "/v1/billing/checkout", newKey());
    expect([again.status, await again.json()]).toMatchObject([409, { error: "subscription_exists" }]);
  });

  it("has a batch of four processed, and its use metered exactly once [1-7 4.10-14]", async () => {
    const { jobId } = await client().createImageJob({ tasks, prompts: ["cat", "cup"] });
    expect((await client().waitForJob(jobId)).status).toBe("success");
    // As often as the cron may run: sent events are not sent again.
    const fireOutbox = async () => {
      // Use is sent when its hour is over.
      await (
        await openLocalDatabase(stateFolder(stack.stateDir))
      ).run([sql`UPDATE meter_events SET closes_at = at WHERE account_id = ${accountId}`]);
      const address = `${stack.baseUrl}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: OUTBOX_CRON }).toString()}`;
      expect((await fetch(address)).status).toBe(200);
      return (await usesAtProvider()).length;
    };
    await expect.poll(fireOutbox, PATIENCE).toBe(1);
    await fireOutbox();
    expect(await settled()).toContainEqual({ fund: "paid", units: 4 });
    expect((await usesAtProvider()).map((use) => use.units)).toEqual([4]);
    expect((await overview()).trial.remainingTokens).toBe(99);
  });

  it("is blocked while a payment is overdue, but for its downloads, and paid again when it is settled", async () => {
    portal = await session("portal");
    await press(`${portal}/failPayment`);
    await accessIs("blocked");
    const refused = await call(
      "POST",
      "/v1/jobs",
      {},
      { type: "image", prompts: ["cat"], tasks: tasks.slice(0, 1) },
    );
    expect([refused.status, await refused.json()]).toMatchObject([402, { error: "payment_required" }]);
    expect((await overview()).access).toMatchObject({
      reason: "billing_delinquent",
      canCreateJobs: false,
      downloadsAllowed: true,
    });
    const { assets } = await client().retrieveJobResult(trialJob);
    expect((await client().download(at(assets, 0).url)).length).toBeGreaterThan(100);

    await press(`${portal}/payInvoice`);
    await accessIs("paid");
  });

  it("returns to the rest of its trial after canceling", async () => {
    await press(`${portal}/cancel`);
    await accessIs("trial");
    expect(await overview()).toMatchObject({
      access: { reason: "trial_active" },
      trial: { remainingTokens: 99 },
      billing: { accessStatus: "allowed", stripeSubscriptionStatus: "canceled" },
    });
  });

  it("leaves books that agree: jobs, ledger and metered use", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["scripts/operate/admin.ts", "ledger-check"],
      {
        env: { ...process.env, STATE_DIR: stack.stateDir },
      },
    );
    expect(stdout).toMatch(/^The ledger agrees: /m);
    expect(await settled()).toEqual([
      { fund: "paid", units: 4 },
      { fund: "trial", units: 1 },
    ]);
    expect(await client().listJobs()).toMatchObject({ items: [{ totalItems: 4 }, { totalItems: 1 }] });
  });
});
