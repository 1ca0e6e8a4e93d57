import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../src/core/api-key.ts";
import { newId } from "../../src/core/ids.ts";
import { Failure } from "../shared/command-line.ts";
import type { Database, Row } from "./database.ts";
import { sql } from "./sql.ts";

export interface NewKey {
  readonly keyId: string;
  readonly label: string;
  /** Shown once, kept nowhere. */
  readonly secret: string;
  readonly digest: string;
}

/** A fresh secret key and what is stored of it. */
export async function newKey(label: string): Promise<NewKey> {
  const secret = generateApiKey();
  return { keyId: newId("key"), label, secret, digest: await apiKeyDigest(secret) };
}

/** The statement that stores a key for an account, and returns no row where there is no such account. */
export function insertKey(key: NewKey, accountId: string, now: number): string {
  return sql`INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
    SELECT ${key.keyId}, id, ${key.label}, ${apiKeyPrefix(key.secret)}, ${key.digest}, ${now}, ${now}
    FROM accounts WHERE id = ${accountId} RETURNING id`;
}

/** Adds a key to an account; fails where there is no such account. */
export async function createKey(
  database: Database,
  accountId: string,
  label: string,
  signal?: AbortSignal,
): Promise<NewKey> {
  const key = await newKey(label);
  const [rows] = await database.run([insertKey(key, accountId, Date.now())], signal);
  if (!rows?.length) throw new Failure(`There is no account ${accountId}.`);
  return key;
}

/** An account's keys, the newest first, revoked ones too. */
export async function listKeys(database: Database, accountId: string, signal?: AbortSignal): Promise<Row[]> {
  const [accounts, keys] = await database.run(
    [
      sql`SELECT 1 FROM accounts WHERE id = ${accountId}`,
      sql`SELECT id AS keyId, label, prefix, revoked_at AS revokedAt, created_at AS createdAt
          FROM api_keys WHERE account_id = ${accountId} ORDER BY id DESC`,
    ],
    signal,
  );
  if (!accounts?.length) throw new Failure(`There is no account ${accountId}.`);
  return keys ?? [];
}

/** Revokes a key from its very next use on; gives when it was revoked (ISO 8601), also when it already was. */
export async function revokeKey(database: Database, keyId: string, signal?: AbortSignal): Promise<string> {
  const now = Date.now();
  const [rows] = await database.run(
    [
      sql`UPDATE api_keys SET updated_at = iif(revoked_at IS NULL, ${now}, updated_at),
          revoked_at = coalesce(revoked_at, ${now}) WHERE id = ${keyId} RETURNING revoked_at`,
    ],
    signal,
  );
  const revokedAt = rows?.[0]?.["revoked_at"];
  if (typeof revokedAt !== "number") throw new Failure(`There is no API key ${keyId}.`);
  return new Date(revokedAt).toISOString();
}
