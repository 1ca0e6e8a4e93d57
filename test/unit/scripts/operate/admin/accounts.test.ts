import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createAccount,
  createAccountOrKey,
  listAccounts,
  setPlan,
  setStatus,
  setUnitsPerDay,
  showAccount,
} from "../../../../../scripts/shared/database/accounts.ts";
import { findJob } from "../../../../../scripts/operate/admin/operate.ts";
import { createKey, listKeys, revokeKey } from "../../../../../scripts/shared/database/keys.ts";
import { sql } from "../../../../../scripts/shared/database/sql.ts";
import { apiKeyDigest, isWellFormedApiKey } from "../../../../../src/accounts/rules/api-key.ts";
import { NOTHING_CLOSED } from "../../../../../src/billing/rules/closing.ts";
import { openDatabase } from "../../../../support/stack/database.ts";

const ADA = { email: "ada@example.com", name: "Ada O'Neil", plan: "paid", keyLabel: "first key" } as const;

describe("a value written into SQL", () => {
  it("comes back from SQLite unchanged, with any characters", async () => {
    const database = openDatabase();
    const text = fc.string({ unit: "grapheme" }).filter((candidate) => !candidate.includes("\0"));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.maxSafeInteger(), fc.constant(null)), async (value) => {
        expect(await database.run([sql`SELECT ${value} AS value`])).toEqual([[{ value }]]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([["'; DROP TABLE accounts; --"], ["''"], ["\\'"], ["a;b"]])(
    "is never read as SQL: %s",
    async (value) => {
      const database = openDatabase();
      expect(await database.run([sql`SELECT ${value} AS value`])).toEqual([[{ value }]]);
    },
  );

  it("is refused where SQL has no literal for it", () => {
    expect(() => sql`SELECT ${"a\0b"}`).toThrow("NUL");
    expect(() => sql`SELECT ${0.5}`).toThrow("0.5");
  });
});

describe("an account created by the operator", () => {
  it("has the requested plan and a working first key, of which only the digest is stored", async () => {
    const database = openDatabase();
    const { accountId, keyId, secret } = await createAccount(database, ADA);
    const [accounts, keys] = await database.run(["SELECT * FROM accounts", "SELECT * FROM api_keys"]);
    expect(isWellFormedApiKey(secret)).toBe(true);
    expect(accounts).toMatchObject([
      // The operator vouches for the address.
      { id: accountId, email: ADA.email, email_verified: 1, name: ADA.name, plan: "paid", status: "active" },
    ]);
    expect(keys).toMatchObject([
      {
        id: keyId,
        account_id: accountId,
        label: "first key",
        digest: await apiKeyDigest(secret),
        revoked_at: null,
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(secret);
  });

  it("is refused if the address has one in any case, and leaves no key behind", async () => {
    const database = openDatabase();
    await createAccount(database, ADA);
    await expect(createAccount(database, { ...ADA, email: "Ada@Example.com" })).rejects.toThrow(
      "Ada@Example.com already has an account.",
    );
    expect(
      await database.run(["SELECT count(*) AS n FROM accounts", "SELECT count(*) AS n FROM api_keys"]),
    ).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });

  it("gets another key if the account may already exist", async () => {
    const database = openDatabase();
    const first = await createAccountOrKey(database, ADA);
    const second = await createAccountOrKey(database, ADA);
    expect(second.accountId).toBe(first.accountId);
    expect(second.secret).not.toBe(first.secret);
    expect(await listKeys(database, first.accountId)).toHaveLength(2);
  });

  it("has a separate limit of units per day until it is reset to the default", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    const shown = async () => (await showAccount(database, accountId, 0))["unitsPerDay"];
    expect(await shown()).toBe("default");
    expect(await setUnitsPerDay(database, accountId, 500)).toMatchObject({ accountId, unitsPerDay: 500 });
    expect(await shown()).toBe(500);
    expect(await setUnitsPerDay(database, accountId, null)).toMatchObject({ unitsPerDay: "default" });
    expect(await shown()).toBe("default");
    await expect(setUnitsPerDay(database, "acct_none", 1)).rejects.toThrow("There is no account acct_none");
  });

  it("has the plan that it is given later, is suspended and let in again", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    const shown = { accountId, email: ADA.email };
    expect(await setPlan(database, accountId, "blocked")).toEqual({
      ...shown,
      plan: "blocked",
      status: "active",
    });
    expect(await setStatus(database, accountId, "suspended")).toMatchObject({ status: "suspended" });
    expect(await setStatus(database, accountId, "active")).toEqual({
      ...shown,
      plan: "blocked",
      status: "active",
    });
  });

  it("is named when it does not exist", async () => {
    const none = "There is no account acct_none.";
    await expect(setPlan(openDatabase(), "acct_none", "paid")).rejects.toThrow(none);
    await expect(setStatus(openDatabase(), "acct_none", "suspended")).rejects.toThrow(none);
    await expect(listKeys(openDatabase(), "acct_none")).rejects.toThrow(none);
  });

  it("is listed, the newest first, with its subscription", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    await createAccount(database, { ...ADA, email: "bob@example.com", plan: "trial" });
    await database.run([
      sql`INSERT INTO billing (account_id, customer_id, subscription_status, updated_at)
          VALUES (${accountId}, 'cus_1', 'active', 0)`,
    ]);
    const { accounts, more } = await listAccounts(database, { email: null, after: null, limit: 2 });
    expect(more).toBe(false);
    expect(accounts).toMatchObject([
      { email: "bob@example.com", plan: "trial", status: "active", subscription: null },
      { accountId, email: ADA.email, plan: "paid", subscription: "active", createdAt: expect.any(Number) },
    ]);
  });

  it("is found among thousands, by pages or by its address in any case", async () => {
    const database = openDatabase();
    await database.run([
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO accounts (id, email, plan, created_at, updated_at)
       SELECT printf('acct_%032x', i), 'user' || i || '@example.com', 'trial', i, i FROM n`,
    ]);
    const seen: string[] = [];
    let after: string | null = null;
    for (let more = true; more;) {
      const page = await listAccounts(database, { email: null, after, limit: 1_000 });
      seen.push(...page.accounts.map(({ accountId }) => String(accountId)));
      after = String(seen.at(-1));
      ({ more } = page);
    }
    expect(new Set(seen).size).toBe(2_500);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const { accounts } = await listAccounts(database, {
      email: "User77@Example.com",
      after: null,
      limit: 50,
    });
    expect(accounts).toMatchObject([{ email: "user77@example.com" }]);
  });

  it("is shown with its plan and what follows from it, its keys, its jobs, its use and its billing", async () => {
    const database = openDatabase();
    const { accountId, keyId } = await createAccount(database, { ...ADA, plan: "trial" });
    await createKey(database, accountId, "CI");
    await revokeKey(database, keyId);
    const midnight = Date.UTC(2026, 0, 2);
    const job = (id: string, status: string) =>
      sql`INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
          VALUES (${id}, ${accountId}, 'image', 'single', 'interactive', 1, ${status}, 0, 0)`;
    const entry = (jobId: string, kind: string, fund: string, units: number, at: number) =>
      sql`INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
          VALUES (${accountId}, ${jobId}, ${kind}, ${fund}, ${units}, ${at})`;
    await database.run([
      job("job_1", "success"),
      job("job_2", "queued"),
      entry("job_1", "reserve", "trial", 3, midnight - 2),
      entry("job_1", "settle", "trial", 2, midnight),
      entry("job_1", "release", "trial", 1, midnight),
      entry("job_0", "reserve", "paid", 7, midnight - 2),
      entry("job_0", "settle", "paid", 7, midnight - 1),
      entry("job_2", "reserve", "trial", 4, midnight + 1),
      sql`INSERT INTO billing (account_id, customer_id, subscription_status, current_period_end, updated_at)
          VALUES (${accountId}, 'cus_1', 'past_due', ${midnight}, 0)`,
      // Of closed books: five tokens more.
      sql`INSERT INTO ledger_closings (account_id, number, object_key, digest, closed_at, sums)
          VALUES (${accountId}, 1, 'key', ${"0".repeat(64)}, 0, ${JSON.stringify({ ...NOTHING_CLOSED, trial: { reserved: 5, settled: 5, released: 0, voided: 0 } })})`,
    ]);
    expect(await showAccount(database, accountId, midnight + 3_600_000)).toMatchObject({
      accountId,
      email: ADA.email,
      name: ADA.name,
      emailVerified: "yes",
      plan: "trial",
      status: "active",
      accessMode: "blocked",
      subscription: "past_due",
      customerId: "cus_1",
      currentPeriodEndAt: "2026-01-02T00:00:00.000Z",
      liveKeys: 1,
      jobs: 2,
      jobsInProgress: 1,
      unitsToday: 2,
      trialTokensUsed: 11,
      erasedAt: null,
    });
    await expect(showAccount(database, "acct_none", 0)).rejects.toThrow("There is no account acct_none.");
  });

  it("says that it is erased, and is neither resumed nor given a plan or a key", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    await database.run([sql`UPDATE accounts SET erasing_at = 1 WHERE id = ${accountId}`]);
    const erased = `${accountId} is erased, which cannot be undone.`;
    await expect(setStatus(database, accountId, "active")).rejects.toThrow(erased);
    await expect(setPlan(database, accountId, "paid")).rejects.toThrow(erased);
    await expect(createKey(database, accountId, "CI")).rejects.toThrow(erased);
    expect(await showAccount(database, accountId, 0)).toMatchObject({ status: "being erased" });
    await database.run([sql`UPDATE accounts SET erased_at = 2 WHERE id = ${accountId}`]);
    const { accounts } = await listAccounts(database, { email: null, after: null, limit: 1 });
    expect(accounts).toMatchObject([{ accountId, status: "erased" }]);
  });
});

describe("an API key created by the operator", () => {
  it("belongs to the account that was named", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    const { keyId } = await createKey(database, accountId, "CI");
    const [keys] = await database.run([sql`SELECT account_id, label FROM api_keys WHERE id = ${keyId}`]);
    expect(keys).toEqual([{ account_id: accountId, label: "CI" }]);
  });

  it("is not created for an account that does not exist", async () => {
    await expect(createKey(openDatabase(), "acct_none", "CI")).rejects.toThrow(
      "There is no account acct_none.",
    );
  });

  it("is revoked once: a second time keeps the first time's date", async () => {
    const database = openDatabase();
    const { keyId } = await createAccount(database, ADA);
    const revokedAt = await revokeKey(database, keyId);
    await database.run([sql`UPDATE api_keys SET revoked_at = revoked_at - 1000`]);
    expect(Date.parse(await revokeKey(database, keyId))).toBe(Date.parse(revokedAt) - 1_000);
  });

  it("is listed without its secret, revoked or not", async () => {
    const database = openDatabase();
    const { accountId, keyId, secret } = await createAccount(database, ADA);
    const second = await createKey(database, accountId, "CI");
    await revokeKey(database, keyId);
    const keys = await listKeys(database, accountId);
    expect(keys).toMatchObject([
      { keyId: second.keyId, label: "CI", prefix: second.secret.slice(0, 12), revokedAt: null },
      { keyId, label: "first key", revokedAt: expect.any(Number) },
    ]);
    expect(JSON.stringify(keys)).not.toContain(secret);
  });

  it("can't be revoked when it does not exist", async () => {
    await expect(revokeKey(openDatabase(), "key_none")).rejects.toThrow("There is no API key key_none.");
  });
});

describe("a job shown to the operator", () => {
  it("has its times as ISO 8601", async () => {
    const database = openDatabase();
    const { accountId } = await createAccount(database, ADA);
    await database.run([
      sql`INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
          VALUES ('job_1', ${accountId}, 'image', 'single', 'interactive', 1, 'queued', 0, 1000)`,
    ]);
    expect(await findJob(database, "job_1")).toMatchObject({
      status: "queued",
      created_at: "1970-01-01T00:00:00.000Z",
      updated_at: "1970-01-01T00:00:01.000Z",
    });
  });

  it("is named when it does not exist", async () => {
    await expect(findJob(openDatabase(), "job_none")).rejects.toThrow("There is no job job_none.");
  });
});
