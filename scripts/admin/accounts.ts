import { newId } from "../../src/core/ids.ts";
import type { Plan } from "../../src/core/access.ts";
import { Failure } from "../shared/command-line.ts";
import type { Database, Row } from "./database.ts";
import { createKey, insertKey, newKey, noSuchAccount } from "./keys.ts";
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

/** Creates an account with its first API key. @throws Failure if the e-mail address already has an account */
export async function createAccount(
  database: Database,
  account: NewAccount,
  signal?: AbortSignal,
): Promise<CreatedAccount> {
  const accountId = newId("acct");
  const now = Date.now();
  const key = await newKey(account.keyLabel);
  const [created] = await database.run(
    [
      sql`INSERT INTO accounts (id, email, email_verified, name, plan, created_at, updated_at)
          SELECT ${accountId}, ${account.email}, 1, ${account.name}, ${account.plan}, ${now}, ${now}
          WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email = ${account.email} COLLATE NOCASE)
          RETURNING id`,
      insertKey(key, accountId, now),
    ],
    signal,
  );
  if (!created?.length) throw new Failure(`${account.email} already has an account.`);
  return { accountId, keyId: key.keyId, secret: key.secret };
}

/** Creates an API key for the account of an e-mail address, and first the account if there is none. */
export async function createAccountOrKey(
  database: Database,
  account: NewAccount,
  signal?: AbortSignal,
): Promise<CreatedAccount> {
  const find = sql`SELECT id FROM accounts WHERE email = ${account.email} COLLATE NOCASE ORDER BY id LIMIT 1`;
  const accountId = (await database.run([find], signal))[0]?.[0]?.["id"];
  if (typeof accountId !== "string") return createAccount(database, account, signal);
  const { keyId, secret } = await createKey(database, accountId, account.keyLabel, signal);
  return { accountId, keyId, secret };
}

async function update(
  database: Database,
  accountId: string,
  statement: string,
  signal?: AbortSignal,
): Promise<Row> {
  const [rows] = await database.run([statement], signal);
  const row = rows?.[0];
  if (!row) throw noSuchAccount(accountId);
  return row;
}

/** Sets an account's plan. @throws Failure if there is no such account */
export const setPlan = (
  database: Database,
  accountId: string,
  plan: Plan,
  signal?: AbortSignal,
): Promise<Row> =>
  update(
    database,
    accountId,
    sql`UPDATE accounts SET plan = ${plan}, updated_at = ${Date.now()} WHERE id = ${accountId}
        RETURNING id AS accountId, email, plan, status`,
    signal,
  );

/** Suspends an account, so that all its credentials are refused, or activates it again. @throws Failure if there is no such account */
export const setStatus = (
  database: Database,
  accountId: string,
  status: "active" | "suspended",
  signal?: AbortSignal,
): Promise<Row> =>
  update(
    database,
    accountId,
    sql`UPDATE accounts SET status = ${status}, updated_at = ${Date.now()} WHERE id = ${accountId}
        RETURNING id AS accountId, email, plan, status`,
    signal,
  );

/** All accounts, newest first. */
export async function listAccounts(database: Database, signal?: AbortSignal): Promise<Row[]> {
  const [rows] = await database.run(
    [
      sql`SELECT a.id AS accountId, a.email, a.plan, a.status, b.subscription_status AS subscription,
            a.created_at AS createdAt
          FROM accounts a LEFT JOIN billing b ON b.account_id = a.id ORDER BY a.id DESC`,
    ],
    signal,
  );
  return rows ?? [];
}
