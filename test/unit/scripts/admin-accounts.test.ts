import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createAccount,
  createAccountOrKey,
  listAccounts,
  setPlan,
  setStatus,
} from "../../../scripts/admin/accounts.ts";
import { findJob } from "../../../scripts/admin/jobs.ts";
import { createKey, listKeys, revokeKey } from "../../../scripts/admin/keys.ts";
import { sql } from "../../../scripts/admin/sql.ts";
import { apiKeyDigest, isWellFormedApiKey } from "../../../src/core/api-key.ts";
import { openDatabase } from "../../support/node/database.ts";

const ADA = { email: "ada@example.com", name: "Ada O'Neil", plan: "paid", keyLabel: "first key" } as const;

describe("a value written into SQL", () => {
  it("comes back from SQLite as it was, whatever characters it has", async () => {
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
  it("has the plan that was asked for and a working first key, of which only the digest is stored", async () => {
    const database = openDatabase();
    const { accountId, keyId, secret } = await createAccount(database, ADA);
    const [accounts, keys] = await database.run(["SELECT * FROM accounts", "SELECT * FROM api_keys"]);
    expect(isWellFormedApiKey(secret)).toBe(true);
    expect(accounts).toMatchObject([
      { id: accountId, email: ADA.email, name: ADA.name, plan: "paid", status: "active" },
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

  it("is refused where the address has one, in whatever case, and leaves no key behind", async () => {
    const database = openDatabase();
    await createAccount(database, ADA);
    await expect(createAccount(database, { ...ADA, email: "Ada@Example.com" })).rejects.toThrow(
      "Ada@Example.com already has an account.",
    );
    expect(
      await database.run(["SELECT count(*) AS n FROM accounts", "SELECT count(*) AS n FROM api_keys"]),
    ).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });

  it("gets another key where one is wanted of an account that may be there", async () => {
    const database = openDatabase();
    const first = await createAccountOrKey(database, ADA);
    const second = await createAccountOrKey(database, ADA);
    expect(second.accountId).toBe(first.accountId);
    expect(second.secret).not.toBe(first.secret);
    expect(await listKeys(database, first.accountId)).toHaveLength(2);
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
    expect(await listAccounts(database)).toMatchObject([
      { email: "bob@example.com", plan: "trial", status: "active", subscription: null },
      { accountId, email: ADA.email, plan: "paid", subscription: "active", createdAt: expect.any(Number) },
    ]);
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
      sql`INSERT INTO jobs (id, account_id, type, mode, total_items, status, created_at, updated_at)
          VALUES ('job_1', ${accountId}, 'image', 'single', 1, 'queued', 0, 1000)`,
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
