import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../../src/accounts/rules/api-key.ts";
import { newId } from "../../../src/shared/ids.ts";
import { Failure } from "../command-line.ts";
import type { Database, Row } from "./database.ts";
import { sql } from "./sql.ts";

/** The failure of a command that names an account that does not exist. */
export const noSuchAccount = (accountId: string): Failure =>
  new Failure(`There is no account ${accountId}. List the accounts with: npm run admin -- list-accounts`);

/** Returns the failure of a command for an account without a row that it could change. */
export async function unchangeable(database: Database, accountId: string): Promise<Failure> {
  const [rows] = await database.run([sql`SELECT 1 FROM accounts WHERE id = ${accountId}`]);
  return rows?.length
    ? new Failure(`${accountId} is erased, which cannot be undone.`)
    : noSuchAccount(accountId);
}

export interface NewKey {
  readonly keyId: string;
  readonly label: string;
  /** Shown once and stored nowhere. */
  readonly secret: string;
  readonly digest: string;
}

/** Generates a secret key, and its digest to store. */
export async function newKey(label: string): Promise<NewKey> {
  const secret = generateApiKey();
  return { keyId: newId("key"), label, secret, digest: await apiKeyDigest(secret) };
}

/** The statement that stores a key for an account. It returns no row if there is no such account. */
export function insertKey(key: NewKey, accountId: string, now: number): string {
  return sql`INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
    SELECT ${key.keyId}, id, ${key.label}, ${apiKeyPrefix(key.secret)}, ${key.digest}, ${now}, ${now}
    FROM accounts WHERE id = ${accountId} AND erasing_at IS NULL RETURNING id`;
}

/**
 * Creates a key for an account.
 * @param before called first, with the key's digest
 * @throws Failure if there is no such account, or it is erased
 */
export async function createKey(
  database: Database,
  accountId: string,
  label: string,
  before: (digest: string) => Promise<void> = () => Promise.resolve(),
): Promise<NewKey> {
  const key = await newKey(label);
  await before(key.digest);
  const [rows] = await database.run([insertKey(key, accountId, Date.now())]);
  if (!rows?.length) throw await unchangeable(database, accountId);
  return key;
}

/** An account's keys, newest first, including revoked ones. @throws Failure if there is no such account */
export async function listKeys(database: Database, accountId: string): Promise<Row[]> {
  const [accounts, keys] = await database.run([
    sql`SELECT 1 FROM accounts WHERE id = ${accountId}`,
    sql`SELECT id AS keyId, label, prefix, revoked_at AS revokedAt, created_at AS createdAt
          FROM api_keys WHERE account_id = ${accountId} ORDER BY id DESC`,
  ]);
  if (!accounts?.length) throw noSuchAccount(accountId);
  return keys ?? [];
}

/**
 * Revokes a key and returns its time of revocation (ISO 8601), or that of an earlier revocation.
 * @throws Failure if there is no such key
 */
export async function revokeKey(database: Database, keyId: string): Promise<string> {
  const now = Date.now();
  const [rows] = await database.run([
    sql`UPDATE api_keys SET updated_at = iif(revoked_at IS NULL, ${now}, updated_at),
          revoked_at = coalesce(revoked_at, ${now}) WHERE id = ${keyId} RETURNING revoked_at`,
  ]);
  const revokedAt = rows?.[0]?.["revoked_at"];
  if (typeof revokedAt !== "number") throw new Failure(`There is no API key ${keyId}.`);
  return new Date(revokedAt).toISOString();
}
