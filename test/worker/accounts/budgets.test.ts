import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apiKeyRefusal,
  dailyBytesOf,
  KEPT_PER_LIVE,
  presignRefusal,
} from "../../../src/accounts/rules/budgets.ts";
import { newId } from "../../../src/shared/ids.ts";
import { sweep } from "../../../src/operator/operations/sweep.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { newKey } from "../../support/worker/client/api-keys.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { amount } from "../../support/worker/client/random.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Uploads of `sizes` bytes (null is not inspected), presigned at `createdAt`. */
async function storeUploads(
  accountId: string,
  unused: 0 | 1,
  createdAt: number,
  sizes: readonly (number | null)[],
): Promise<void> {
  for (const size of sizes) {
    const taskId = `${crypto.randomUUID()}.png`;
    await home.DB.batch([
      home.DB.prepare(
        `INSERT INTO uploads (task_id, account_id, content_type, created_at, unused)
         VALUES (?1, ?2, 'image/png', ?3, ?4)`,
      ).bind(taskId, accountId, createdAt, unused),
      home.DB.prepare("UPDATE uploads SET size = ?2 WHERE task_id = ?1").bind(taskId, size),
    ]);
  }
}

/**
 * Records this many uploads, presigned at `createdAt`, that their account deleted at once; the rows are gone, the count stays.
 */
async function deleteUploads(accountId: string, count: number, createdAt: number): Promise<void> {
  await home.DB.batch([
    home.DB.prepare(
      `INSERT INTO uploads (task_id, account_id, content_type, created_at, unused)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       SELECT ?1 || i, ?1, 'image/png', ?3, 1 FROM n WHERE ?2 > 0`,
    ).bind(accountId, count, createdAt),
    home.DB.prepare(
      "UPDATE uploads SET deleted_at = created_at, unused = 0 WHERE task_id LIKE ?1 || '%'",
    ).bind(accountId),
    home.DB.prepare("DELETE FROM uploads WHERE task_id LIKE ?1 || '%'").bind(accountId),
  ]);
}

const storeKeys = async (accountId: string, count: number, revokedAt: number | null): Promise<void> => {
  for (let i = 0; i < count; i += 1) {
    await home.DB.prepare(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, revoked_at, created_at, updated_at)
       VALUES (?1, ?2, 'stored', '', ?1, ?3, 0, 0)`,
    )
      .bind(newId("key"), accountId, revokedAt)
      .run();
  }
};

describe("the guards within the statements that insert", () => {
  it("accept exactly the uploads that the rule accepts, in any state of the account [4.1-8]", async () => {
    const { uploads } = home.platform;
    const seen = new Set<string>();
    const standing = fc.record({
      unused: fc.nat(3),
      used: fc.nat(2),
      sizes: fc.array(fc.constantFrom(null, 0, 60, 100), { maxLength: 3 }),
      age: fc.constantFrom(0, 23 * HOUR, 25 * HOUR),
      maxUnused: fc.integer({ min: 1, max: 4 }),
      deleted: fc.constantFrom(0, KEPT_PER_LIVE - 1, KEPT_PER_LIVE),
      size: fc.constantFrom(null, 0, 1, 40, 41, 101),
    });
    await fc.assert(
      fc.asyncProperty(standing, async ({ unused, used, sizes, age, maxUnused, deleted, size }) => {
        const { accountId } = await newClient();
        await storeUploads(accountId, 1, NOW, Array<null>(unused).fill(null));
        await storeUploads(accountId, 0, NOW, Array<null>(used).fill(null));
        await storeUploads(accountId, 0, NOW - age, sizes);
        await deleteUploads(accountId, deleted, NOW - age);
        const use = await uploads.use(accountId, NOW);
        const bytes = age < DAY ? sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0) : 0;
        expect({ unused: use.unused, bytes: dailyBytesOf(use) }).toEqual({ unused, bytes });
        expect(use.hours.reduce((sum, hour) => sum + hour.deleted, 0)).toBe(age < DAY ? deleted : 0);

        const budget = { maxUnused, maxDailyBytes: 100 };
        const refusal = presignRefusal(budget, use, NOW, size);
        const upload = { taskId: `${crypto.randomUUID()}.png`, contentType: "image/png", size };
        expect(await uploads.insert(accountId, upload, budget, NOW)).toBe(refusal === null);
        if (refusal === null && age === 0)
          expect(dailyBytesOf(await uploads.use(accountId, NOW))).toBe(bytes + (size ?? 0));
        seen.add(refusal?.message.replace(/[\d.].*/, "") ?? "let in");
      }),
      {
        seed: Number(env.SEED),
        numRuns: amount({ short: 30, long: 500 }),
        examples: [
          [{ unused: 0, used: 0, sizes: [], age: 0, maxUnused: 1, deleted: 0, size: null }],
          [{ unused: 1, used: 0, sizes: [], age: 0, maxUnused: 1, deleted: 0, size: null }],
          [{ unused: 0, used: 0, sizes: [100], age: 0, maxUnused: 1, deleted: 0, size: null }],
          [{ unused: 0, used: 0, sizes: [], age: 0, maxUnused: 1, deleted: KEPT_PER_LIVE, size: null }],
          [{ unused: 0, used: 0, sizes: [60], age: 0, maxUnused: 1, deleted: 0, size: 41 }],
        ],
      },
    );
    expect(seen.size, "each reason, and none").toBe(5);
  });

  it("accept exactly the API keys that the rule accepts, in any state of the account [4.9-15]", async () => {
    const { apiKeys } = home.platform;
    const seen = new Set<string>();
    const standing = fc.record({
      live: fc.nat(2),
      revoked: fc.constantFrom(0, 1, 2 * KEPT_PER_LIVE - 3, 2 * KEPT_PER_LIVE - 1),
      maxLive: fc.integer({ min: 2, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(standing, async ({ live, revoked, maxLive }) => {
        const { accountId } = await newClient();
        await storeKeys(accountId, live, null);
        await storeKeys(accountId, revoked, NOW);
        const use = await apiKeys.use(accountId);
        // The client's key is one more.
        expect(use).toEqual({ live: live + 1, kept: live + 1 + revoked });

        const refusal = apiKeyRefusal(maxLive, use);
        const key = {
          keyId: newId("key"),
          label: "new",
          prefix: "",
          revokedAt: null,
          createdAt: 0,
          updatedAt: 0,
        };
        expect(await apiKeys.insert(accountId, key, key.keyId, maxLive)).toBe(refusal === null);
        seen.add(refusal?.message.slice(0, 26) ?? "let in");
      }),
      {
        seed: Number(env.SEED),
        numRuns: amount({ short: 15, long: 200 }),
        examples: [
          [{ live: 0, revoked: 0, maxLive: 2 }],
          [{ live: 1, revoked: 0, maxLive: 2 }],
          [{ live: 0, revoked: 2 * KEPT_PER_LIVE - 1, maxLive: 2 }],
        ],
      },
    );
    expect(seen.size, "both reasons, and none").toBe(3);
  });
});

describe("a revoked API key", () => {
  it("is purged by the sweep 90 days after its revocation, not before, and live keys stay", async () => {
    const client = await newClient();
    const { apiKey } = await newKey(client, "old");
    await client.send("DELETE", `/v1/api-keys/${apiKey.keyId}`);
    const platform = home.platform;
    const labels = async () =>
      (await home.DB.prepare("SELECT label FROM api_keys ORDER BY id").all<{ label: string }>()).results.map(
        ({ label }) => label,
      );
    await sweep(platform, Date.now() + 90 * DAY - 60_000);
    expect(await labels()).toEqual(["test", "old"]);
    await sweep(platform, Date.now() + 90 * DAY + 1);
    expect(await labels()).toEqual(["test"]);
  });
});
