import { describe, expect, it } from "vitest";
import { platformOf } from "../../src/platform.ts";
import { runScheduled } from "../../src/runtime/scheduled.ts";
import { CRONS, runUpkeep } from "../support/worker/runtime/crons.ts";
import {
  ALL,
  database,
  databaseThrough,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";
import { FakeStripe } from "../support/worker/fakes/stripe.ts";

useDatabases(16);

/** Maximum number of D1 statements in one run of a Worker. */
const MOST_STATEMENTS = 1_000;
const DAY = 86_400_000;
/** More than a run does of anything that takes a statement for each. */
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

/** The Worker with sixteen databases, and how many statements it has run since it was last asked. */
function counted() {
  let statements = 0;
  const databases = ALL.map((name) => [
    name,
    databaseThrough(database(name), (texts, call) => {
      statements += texts.length;
      return call();
    }),
  ]);
  const count = (): number => {
    const since = statements;
    statements = 0;
    return since;
  };
  return { environment: withDatabases(16, { ...NOTHING, ...Object.fromEntries(databases) }), count };
}

describe("a run of the Worker for a cron", () => {
  it("takes no more statements than the platform allows for a database that is behind, and does all that a run may do there [A9-4]", async () => {
    const now = Date.now();
    await plantBacklog("DB_2", now);
    const stripe = new FakeStripe();
    for (let i = 1; i <= ROWS; i += 1) stripe.has(`DB_2_cus_${i}`);
    const { environment, count } = counted();
    const taken: Record<string, number> = {};
    for (const [what, cron] of Object.entries(CRONS)) {
      await runUpkeep(cron, "DB_2", environment);
      taken[what] = count();
    }
    console.info("statements of a run for one of sixteen databases:", taken);
    for (const [what, statements] of Object.entries(taken))
      expect(statements, what).toBeLessThanOrEqual(MOST_STATEMENTS);
    const left = await database("DB_2")
      .prepare(
        `SELECT (SELECT count(*) FROM uploads) AS uploads, (SELECT count(*) FROM jobs) AS jobs,
           (SELECT count(*) FROM deleted_jobs) AS deleted_jobs,
           (SELECT count(*) FROM ledger_closings) AS closings,
           (SELECT count(*) FROM meter_events WHERE sent_at IS NULL) AS meter_events,
           (SELECT count(*) FROM billing WHERE checked_at IS NOT NULL) AS billing,
           (SELECT count(*) FROM ended_subscriptions) AS ended_subscriptions,
           (SELECT count(*) FROM webhook_endpoints WHERE erased_at IS NOT NULL) AS endpoints,
           (SELECT count(*) FROM idempotency_keys) AS idempotency_keys`,
      )
      .first();
    expect(left).toEqual({
      uploads: 0,
      jobs: 0,
      deleted_jobs: 0,
      closings: 70,
      meter_events: 0,
      billing: 300,
      ended_subscriptions: ROWS - 20,
      endpoints: 200,
      idempotency_keys: 0,
    });
  });

  it("takes few calls for each of sixteen databases until their upkeep is queued", async () => {
    const { environment, count } = counted();
    await runScheduled(platformOf(environment), CRONS.report, Date.now());
    expect(count()).toBeLessThan(160);
  });
});
