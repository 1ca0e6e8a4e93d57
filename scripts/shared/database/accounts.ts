import { accessModeOf, type Plan } from "../../../src/billing/rules/access.ts";
import { newId } from "../../../src/shared/ids.ts";
import { Failure } from "../command-line.ts";
import type { Database, Row } from "./database.ts";
import { createKey, insertKey, newKey, noSuchAccount, unchangeable } from "./keys.ts";
import { readable } from "./print.ts";
import { sql } from "./sql.ts";

export const PLANS = ["trial", "paid", "blocked"] as const satisfies readonly Plan[];

export interface NewAccount {
  readonly email: string;
  readonly name: string | null;
  readonly plan: Plan;
  readonly keyLabel: string;
}

export interface CreatedAccount {
  readonly accountId: string;
  readonly keyId: string;
  /** The secret key; only its digest is stored. */
  readonly secret: string;
}

/**
 * Creates an account with its first API key.
 * @param before called first, with its id and the digest of its key
 * @throws Failure if the e-mail address already has an account
 */
export async function createAccount(
  database: Database,
  account: NewAccount,
  before: (accountId: string, digest: string) => Promise<void> = () => Promise.resolve(),
): Promise<CreatedAccount> {
  const accountId = newId("acct");
  const now = Date.now();
  const key = await newKey(account.keyLabel);
  await before(accountId, key.digest);
  const [created] = await database.run([
    sql`INSERT INTO accounts (id, email, email_verified, name, plan, created_at, updated_at)
          SELECT ${accountId}, ${account.email}, 1, ${account.name}, ${account.plan}, ${now}, ${now}
          WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email = ${account.email} COLLATE NOCASE)
          RETURNING id`,
    insertKey(key, accountId, now),
  ]);
  if (!created?.length) throw new Failure(`${account.email} already has an account.`);
  return { accountId, keyId: key.keyId, secret: key.secret };
}

/** Creates an API key for the account of an e-mail address, and the account if there is none. */
export async function createAccountOrKey(database: Database, account: NewAccount): Promise<CreatedAccount> {
  const find = sql`SELECT id FROM accounts WHERE email = ${account.email} COLLATE NOCASE ORDER BY id LIMIT 1`;
  const accountId = (await database.run([find]))[0]?.[0]?.["id"];
  if (typeof accountId !== "string") return createAccount(database, account);
  const { keyId, secret } = await createKey(database, accountId, account.keyLabel);
  return { accountId, keyId, secret };
}

/** An account's status; its erasure takes precedence, because the rest can't change any more. */
const STATUS = `CASE WHEN a.erased_at IS NOT NULL THEN 'erased' WHEN a.erasing_at IS NOT NULL THEN 'being erased' ELSE a.status END`;

async function update(database: Database, accountId: string, change: string): Promise<Row> {
  const where = sql`updated_at = ${Date.now()} WHERE id = ${accountId} AND erasing_at IS NULL
    RETURNING id AS accountId, email, plan, status`;
  const [rows] = await database.run([`UPDATE accounts SET ${change}, ${where}`]);
  const row = rows?.[0];
  if (!row) throw await unchangeable(database, accountId);
  return row;
}

/** Sets an account's plan. @throws Failure if there is no such account, or it is erased */
export const setPlan = (database: Database, accountId: string, plan: Plan): Promise<Row> =>
  update(database, accountId, sql`plan = ${plan}`);

/**
 * Suspends an account, which refuses all its credentials, or activates it again. @throws Failure if there is no such account, or
 * it is erased
 */
export const setStatus = (
  database: Database,
  accountId: string,
  status: "active" | "suspended",
): Promise<Row> => update(database, accountId, sql`status = ${status}`);

/**
 * Limits the units that an account's jobs may reserve per day; null for the default limit.
 * @throws Failure if there is no such account, or it is erased
 */
export async function setUnitsPerDay(
  database: Database,
  accountId: string,
  unitsPerDay: number | null,
): Promise<Row> {
  const account = await update(database, accountId, sql`units_per_day = ${unitsPerDay}`);
  return { ...account, unitsPerDay: unitsPerDay ?? "default" };
}

/**
 * Sets the units that a subscriber may owe before it has paid for any; null for the default.
 * @throws Failure if there is no such account, or it is erased
 */
export async function setCredit(database: Database, accountId: string, units: number | null): Promise<Row> {
  const account = await update(database, accountId, sql`credit_units = ${units}`);
  return { ...account, creditUnits: units ?? "default" };
}

/** The accounts to list: `after` is the last id of the page before. */
export interface AccountPage {
  readonly email: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** A page of accounts, the newest first, and whether there are more. */
export async function listAccounts(
  database: Database,
  { email, after, limit }: AccountPage,
): Promise<{ accounts: Row[]; more: boolean }> {
  const conditions = [
    ...(email === null ? [] : [sql`a.email = ${email} COLLATE NOCASE`]),
    ...(after === null ? [] : [sql`a.id < ${after}`]),
  ];
  const [rows = []] = await database.run([
    `SELECT a.id AS accountId, a.email, a.plan, ${STATUS} AS status, b.subscription_status AS subscription,
         a.created_at AS createdAt
       FROM accounts a LEFT JOIN billing b ON b.account_id = a.id
       ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
       ${sql`ORDER BY a.id DESC LIMIT ${limit + 1}`}`,
  ]);
  return { accounts: rows.slice(0, limit), more: rows.length > limit };
}

const DAY_MS = 86_400_000;

/**
 * Returns an account's data for an operator: identity, access with its reason, stored data and usage.
 * @param now epoch milliseconds; today is the day of UTC
 * @throws Failure if there is no such account
 */
export async function showAccount(database: Database, accountId: string, now: number): Promise<Row> {
  const own = sql`account_id = ${accountId}`;
  const [rows] = await database.run([
    `SELECT a.id AS accountId, a.email, a.email_verified AS emailVerified, a.name, a.issuer, a.plan,
         ${STATUS} AS status, b.subscription_status AS subscription, b.current_period_end AS currentPeriodEndAt,
         b.latest_invoice_status AS latestInvoice, b.customer_id AS customerId,
         (SELECT count(*) FROM api_keys WHERE ${own} AND revoked_at IS NULL) AS liveKeys,
         (SELECT count(*) FROM uploads WHERE ${own}) AS uploads,
         (SELECT count(*) FROM jobs WHERE ${own}) AS jobs,
         (SELECT count(*) FROM jobs WHERE ${own} AND status IN ('queued', 'processing')) AS jobsInProgress,
         (SELECT coalesce(sum(units), 0) FROM ledger
          WHERE ${own} AND kind = 'settle' AND ${sql`at >= ${now - (now % DAY_MS)}`}) AS unitsToday,
         coalesce(a.units_per_day, 'default') AS unitsPerDay,
         coalesce(a.credit_units, 'default') AS creditUnits, b.paid_units AS paidUnits,
         coalesce((SELECT units FROM metered_use WHERE ${own}), 0) - coalesce(b.paid_units, 0) AS unpaidUnits,
         coalesce(b.owes, 0) AS owes,
         (SELECT coalesce(sum(CASE kind WHEN 'reserve' THEN units WHEN 'settle' THEN 0 ELSE -units END), 0)
          FROM ledger WHERE ${own} AND fund = 'trial')
         + coalesce((SELECT trial_used FROM ledger_closings WHERE ${own}), 0) AS trialTokensUsed,
         a.created_at AS createdAt, a.erased_at AS erasedAt
       FROM accounts a LEFT JOIN billing b ON b.account_id = a.id
       WHERE ${sql`a.id = ${accountId}`}`,
  ]);
  const row = rows?.[0];
  if (!row) throw noSuchAccount(accountId);
  const { plan, subscription } = row;
  const known = PLANS.find((candidate) => candidate === plan);
  const accessMode =
    known === undefined
      ? null
      : accessModeOf(known, subscription === null ? null : String(subscription), row["owes"] === 1);
  return readable({ ...row, emailVerified: row["emailVerified"] === 1 ? "yes" : "no", accessMode });
}
