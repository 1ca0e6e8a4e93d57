import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAccount } from "../../../scripts/admin/accounts.ts";
import type { Database, Row } from "../../../scripts/admin/database.ts";
import { findJob } from "../../../scripts/admin/jobs.ts";
import { createKey, revokeKey } from "../../../scripts/admin/keys.ts";
import { sql } from "../../../scripts/admin/sql.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { apiKeyDigest, isWellFormedApiKey } from "../../../src/core/api-key.ts";

/** A SQLite database with the project's schema, as D1 has it. */
function openDatabase(): Database {
  const sqlite = new DatabaseSync(":memory:");
  const folder = join(PROJECT_ROOT, "migrations");
  for (const name of readdirSync(folder).toSorted()) sqlite.exec(readFileSync(join(folder, name), "utf8"));
  const rowsOf = (statement: string): Row[] =>
    sqlite
      .prepare(statement)
      .all()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "number" || value === null ? value : String(value),
          ]),
        ),
      );
  return { run: async (statements) => statements.map(rowsOf) };
}

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
