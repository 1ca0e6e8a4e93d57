import { newId } from "../../src/core/ids.ts";
import type { Database } from "./database.ts";
import { insertKey, newKey } from "./keys.ts";
import { sql } from "./sql.ts";

export const PLANS = ["trial", "paid"] as const;
export type Plan = (typeof PLANS)[number];

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

/** Creates an account with its first API key. */
export async function createAccount(
  database: Database,
  account: NewAccount,
  signal?: AbortSignal,
): Promise<CreatedAccount> {
  const accountId = newId("acct");
  const now = Date.now();
  const key = await newKey(account.keyLabel);
  await database.run(
    [
      sql`INSERT INTO accounts (id, email, email_verified, name, plan, created_at, updated_at)
          VALUES (${accountId}, ${account.email}, 1, ${account.name}, ${account.plan}, ${now}, ${now})`,
      insertKey(key, accountId, now),
    ],
    signal,
  );
  return { accountId, keyId: key.keyId, secret: key.secret };
}
