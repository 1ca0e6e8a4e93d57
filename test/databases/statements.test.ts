import { describe, expect, it } from "vitest";
import { platformOf } from "../../src/platform.ts";
import { runScheduled } from "../../src/workers/scheduled.ts";
import { CRONS } from "../support/worker/crons.ts";
import { ALL, database, databaseThrough, useDatabases, withDatabases } from "../support/worker/several.ts";
import { PlayedStripe } from "../support/worker/stripe.ts";

useDatabases(16);

/** What D1 takes from one run of a Worker. */
const MOST_STATEMENTS = 1_000;
const DAY = 86_400_000;
/** More than a run's share of anything. */
const ROWS = 800;

/** A backlog of everything that the crons work off. */
async function plantBacklog(name: string, now: number): Promise<void> {
  const old = now - 100 * DAY;
  const rows = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  const account = `printf('acct_%04d', i)`;
  const insert = (into: string, values: string): string =>
    `${rows} INSERT INTO ${into} SELECT ${values} FROM n`;
  const statements = [
    insert("accounts (id, email, plan, created_at, updated_at)", `${account}, '', 'paid', ${old}, ${old}`),
    insert(
      "uploads (task_id, account_id, content_type, created_at, unused, inspect_at)",
      `'t' || i, ${account}, 'image/png', ${old}, 1, ${old}`,
    ),
    insert("upload_bytes (account_id, hour, bytes)", `${account}, 1, 1`),
    insert("settled_units (account_id, slot, units)", `${account}, 1, 1`),
    insert("usage_days (account_id, day, units, jobs)", `${account}, 1, 1, 1`),
    insert(
      "idempotency_keys (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)",
      `${account}, 'o', 'k', '', '', '', 0, ${old}`,
    ),
    insert(
      "api_keys (id, account_id, label, prefix, digest, revoked_at, created_at, updated_at)",
      `'k' || i, ${account}, '', '', 'd' || i, ${old}, ${old}, ${old}`,
    ),
    insert("stripe_events (id, type, received_at)", `'e' || i, '', ${old}`),
    insert(
      "jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at, lane)",
      `'job_' || i, ${account}, 'image', 'single', 1, 'queued', 1, ${old}, ${old}, 'bulk'`,
    ),
    insert("deleted_jobs (job_id, account_id, deleted_at)", `'gone_' || i, ${account}, ${old}`),
    insert(
      "ledger (account_id, job_id, kind, fund, units, at)",
      `${account}, 'was_' || i, 'reserve', 'paid', 1, ${old}`,
    ),
    insert(
      "ledger (account_id, job_id, kind, fund, units, at)",
      `${account}, 'was_' || i, 'settle', 'paid', 1, ${old}`,
    ),
    insert(
      "ledger (account_id, job_id, kind, fund, units, at)",
      `${account}, 'was_' || i, 'release', 'paid', 0, ${old}`,
    ),
    insert(
      "billing (account_id, customer_id, subscription_status, current_period_end, updated_at)",
      `${account}, '${name}_cus_' || i, 'active', ${old}, 0`,
    ),
    insert(
      "meter_events (identifier, customer_id, units, at, account_id, window_from, closes_at, billing_version)",
      `'${name}_m' || i, '${name}_cus_' || i, 1, ${now - DAY}, ${account}, 0, ${now - DAY}, 0`,
    ),
    insert(
      "webhook_endpoints (id, account_id, url, secrets, enabled_at, deleted_at, created_at, updated_at)",
      `'whe_' || i, ${account}, '', '', 0, ${old}, 0, 0`,
    ),
    insert("ended_subscriptions (account_id, ended_at)", `${account}, ${old}`),
    `UPDATE accounts SET erasing_at = ${old}, erasure_tried_at = ${old} WHERE id > 'acct_0700'`,
  ];
  const db = database(name);
  await db.batch(statements.map((sql) => db.prepare(sql)));
}

/** Objects that know nothing, and an empty bucket: how many statements a run takes does not depend on them. */
const NOTHING = {
  JOBS: {
    getByName: () => ({
      wake: async () => false,
      erase: async () => "unknown" as const,
      cancelUnbegun: async () => {},
    }),
  },
  WEBHOOKS: { getByName: () => ({ erase: async () => {} }) },
  MEDIA: {
    head: async () => null,
    delete: async () => {},
    put: async () => ({}),
    list: async () => ({ objects: [], truncated: false }),
  },
};

describe("a run of the crons over sixteen databases that are all behind", () => {
  it("takes no more statements than the platform allows, and does some of everything in each [A9-4]", async () => {
    const now = Date.now();
    for (const name of ALL) await plantBacklog(name, now);
    const stripe = new PlayedStripe();
    for (const name of ALL) for (let i = 1; i <= ROWS; i += 1) stripe.has(`${name}_cus_${i}`);
    let statements = 0;
    const counted = ALL.map((name) => [
      name,
      databaseThrough(database(name), (texts, call) => {
        statements += texts.length;
        return call();
      }),
    ]);
    const environment = withDatabases(16, { ...NOTHING, ...Object.fromEntries(counted) });
    const taken: Record<string, number> = {};
    for (const [what, cron] of Object.entries(CRONS)) {
      statements = 0;
      await runScheduled(platformOf(environment), cron, now);
      taken[what] = statements;
    }
    console.info("statements of a run over sixteen databases:", taken);
    for (const [what, count] of Object.entries(taken))
      expect(count, what).toBeLessThanOrEqual(MOST_STATEMENTS);
    const left = await Promise.all(
      ALL.map((name) =>
        database(name)
          .prepare(
            `SELECT (SELECT count(*) FROM uploads) < ${ROWS} AS uploads,
               (SELECT count(*) FROM jobs) < ${ROWS} AS jobs,
               (SELECT count(*) FROM deleted_jobs) < ${ROWS} AS deleted_jobs,
               (SELECT count(*) FROM ledger_closings) > 0 AS closings,
               (SELECT count(*) FROM meter_events WHERE sent_at IS NOT NULL) > 0 AS meter_events,
               (SELECT count(*) FROM billing WHERE looked_at IS NOT NULL) > 0 AS billing,
               (SELECT count(*) FROM ended_subscriptions) < ${ROWS} AS ended_subscriptions,
               (SELECT count(*) FROM webhook_endpoints WHERE erased_at IS NOT NULL) > 0 AS endpoints,
               (SELECT count(*) FROM idempotency_keys) = 0 AS idempotency_keys`,
          )
          .first(),
      ),
    );
    for (const [i, row] of left.entries())
      expect(row, ALL[i]).toEqual(Object.fromEntries(Object.keys(row ?? {}).map((name) => [name, 1])));
  });
});
