import { describe, expect, it, vi } from "vitest";
import { sweep } from "../../../src/operator/operations/sweep.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { later } from "../../support/worker/runtime/time.ts";

/** More than one statement may delete. */
const MANY = 10_001;
const MINUTE = 60_000;

/** Outlived rows by their table: a statement that inserts MANY rows since 1970 for the account ?1. */
const OUTLIVED = {
  upload_bytes: "INSERT INTO upload_bytes (account_id, hour, bytes) SELECT ?1, i - 20000, 1 FROM n",
  api_keys: `INSERT INTO api_keys (id, account_id, label, prefix, digest, revoked_at, created_at, updated_at)
    SELECT 'k' || i, ?1, '', '', i, 0, 0, 0 FROM n`,
  idempotency_keys: `INSERT INTO idempotency_keys
      (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)
    SELECT ?1, 'o', i, '', '', '', 0, 0 FROM n`,
  stripe_events: "INSERT INTO stripe_events (id, type, received_at) SELECT ?1 || i, '', 0 FROM n",
} as const;

const leftIn = (table: string): Promise<number | null> =>
  home.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");

async function fill(table: keyof typeof OUTLIVED, accountId: string): Promise<void> {
  await home.DB.prepare(
    OUTLIVED[table].replace(
      /^(INSERT [^]*?)(SELECT)/,
      `$1 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY}) $2`,
    ),
  )
    .bind(accountId)
    .run();
}

describe("the hourly sweep, after an outage,", () => {
  it.each<keyof typeof OUTLIVED>(["upload_bytes", "api_keys", "idempotency_keys", "stripe_events"])(
    "deletes what has outlived its time in %s by statements of at most ten thousand rows, until nothing is left",
    async (table) => {
      const { accountId } = await newClient();
      const before = (await leftIn(table)) ?? 0;
      await fill(table, accountId);
      const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
      await sweep(home.platform, Date.now());
      const deletes = prepare.mock.calls.filter(([sql]) => String(sql).startsWith(`DELETE FROM ${table} `));
      expect(await leftIn(table)).toBe(before);
      expect(deletes.length).toBeGreaterThan(1);
    },
  );

  it("leaves the rest to the next one after its time, and does its other parts", async () => {
    const { accountId } = await newClient();
    await fill("stripe_events", accountId);
    const { billing, uploads } = home.platform;
    const purge = billing.purgeEvents.bind(billing);
    vi.spyOn(billing, "purgeEvents").mockImplementation(async (...args) => {
      later(2 * MINUTE);
      return purge(...args);
    });
    const next = vi.spyOn(uploads, "olderThan");
    await sweep(home.platform, Date.now());
    expect(await leftIn("stripe_events")).toBe(1);
    expect(next).toHaveBeenCalled();
    await sweep(home.platform, Date.now());
    expect(await leftIn("stripe_events")).toBe(0);
  });
});
