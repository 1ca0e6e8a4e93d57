import type { Account as AccountProfile } from "../contract/account.ts";
import { type AccessHolder, accessModeOf, type Plan } from "../../billing/rules/access.ts";
import { dayOf } from "../../billing/rules/usage.ts";
import { nameOf, type Identity, type Profile } from "../rules/identity.ts";
import { type Batching, D1Store, present, atHome } from "../../shared/storage/d1-store.ts";
import { Preflight, unless } from "../../shared/storage/preflight.ts";

/** An account as the rules see it. */
export interface Account extends AccessHolder {
  readonly accountId: string;
  /** The database that has its data. */
  readonly database: string;
  /** True if it is moving to another database, or has moved. */
  readonly isMoving: boolean;
  /** The row that these values were read from. */
  readonly text: string;
}

/** The account of an identity, with the profile from the last token. */
export interface KnownIdentity {
  readonly account: Account;
  readonly profile: Profile;
  readonly suspended: boolean;
}

interface AccountRow {
  id: string;
  plan: Plan;
  subscription_status: string | null;
  email_verified: number;
  units_per_day: number | null;
  credit_units: number | null;
  paid_units: number | null;
  owes: number | null;
  is_moving: number;
}

interface ProfileRow {
  email: string;
  email_verified: number;
  name: string | null;
  image: string | null;
  status: "active" | "suspended";
}

const accountOf = (text: string, row: AccountRow, database: string): Account => ({
  text,
  database,
  accountId: row.id,
  accessMode: accessModeOf(row.plan, row.subscription_status, row.owes === 1),
  emailVerified: row.email_verified === 1,
  unitsPerDay: row.units_per_day,
  paidUnits: row.plan === "trial" ? (row.paid_units ?? 0) : null,
  creditUnits: row.credit_units,
  isMoving: row.is_moving === 1,
});

const profileOf = ({ email, email_verified: verified, name, image }: ProfileRow): Profile => ({
  email,
  emailVerified: verified === 1,
  name,
  image,
});

function identityOf(text: string, database: string): KnownIdentity {
  const row: AccountRow & ProfileRow = JSON.parse(text);
  return {
    account: accountOf(text, row, database),
    profile: profileOf(row),
    suspended: row.status === "suspended",
  };
}

const RULES = [
  "a.id",
  "a.plan",
  "a.units_per_day",
  "a.credit_units",
  "a.email_verified",
  "b.subscription_status",
  "b.paid_units",
  "b.owes",
];
const PROFILE = ["a.email", "a.email_verified", "a.name", "a.image", "a.status"];

/** Joins these columns, and whether the account is moving, into one string: a preflight compares it with the one read before. */
const textOf = (columns: readonly string[]): string =>
  `json_object(${[...new Set(columns)].map((column) => `'${column.slice(2)}', ${column}`).join(", ")},
     'is_moving', EXISTS (SELECT 1 FROM in_transit AS t WHERE t.account_id = a.id))`;

/** The active account of the unrevoked key with the digest ?1: an AccountRow as JSON. */
const BY_KEY = `SELECT ${textOf(RULES)} AS text
  FROM api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN billing b ON b.account_id = a.id
  WHERE k.digest = ?1 AND k.revoked_at IS NULL AND a.status = 'active'`;

/** The active account of the share with the digest ?1 that shows the job ?2 at ?3, with the uses of its link on its last day. */
const BY_SHARE = `SELECT ${textOf(RULES)} AS text, s.reads
  FROM shares s JOIN accounts a ON a.id = s.account_id LEFT JOIN billing b ON b.account_id = a.id
  WHERE s.digest = ?1 AND s.expires_at > ?3 AND a.status = 'active' AND EXISTS (SELECT 1 FROM jobs WHERE id = s.job_id)
    AND (s.job_id = ?2 OR EXISTS (SELECT 1 FROM json_each(s.further) WHERE value = ?2))`;

/** The account of the issuer ?1 and the subject ?2, suspended or not: an AccountRow & ProfileRow as JSON. */
const BY_IDENTITY = `SELECT ${textOf([...RULES, ...PROFILE])} AS text
  FROM accounts a LEFT JOIN billing b ON b.account_id = a.id
  WHERE a.issuer = ?1 AND a.subject = ?2`;

/** The active account ?1, if it still equals the string ?2. */
const UNCHANGED = `SELECT 1 FROM accounts a LEFT JOIN billing b ON b.account_id = a.id WHERE a.id = ?1 AND a.status = 'active'
  AND ${RULES.map((column) => `${column} IS ?2 ->> '${column.slice(2)}'`).join(" AND ")}`;

/** The accounts of a database, by their credentials. */
export class Accounts extends D1Store {
  readonly #database: string;

  constructor(db: D1Database, database: string) {
    super(db);
    this.#database = database;
  }

  /** The active account of an unrevoked key, by the key's digest: one indexed read. */
  async findByKeyDigest(digest: string): Promise<Account | null> {
    const text = await this.statement(BY_KEY, [digest]).first<string>("text");
    return text === null ? null : accountOf(text, JSON.parse(text), this.#database);
  }

  /**
   * The active account of a share's link, by the digest of its token, if it shows a job at `now` (epoch ms); and how many requests
   * the link has made today, up to one more than `most`. Counts this one.
   */
  async findByShareDigest(
    digest: string,
    jobId: string,
    now: number,
    most: number,
  ): Promise<{ account: Account; reads: number } | null> {
    const [, read] = await this.db.batch<{ text: string; reads: number }>([
      this.statement(
        `UPDATE shares SET reads = iif(day = ?2, reads, 0) + 1, day = ?2
         WHERE digest = ?1 AND (day <> ?2 OR reads <= ?3) AND ${atHome()}`,
        [digest, dayOf(now), most],
      ),
      this.statement(BY_SHARE, [digest, jobId, now]),
    ]);
    const row = read?.results[0];
    if (row === undefined) return null;
    return { account: accountOf(row.text, JSON.parse(row.text), this.#database), reads: row.reads };
  }

  /** Returns the preflight that admits a key only to this account, which `findByKeyDigest` has found. */
  preflightByKey(digest: string, { text }: Account): Preflight {
    return new Preflight(this.db, BY_KEY, [digest], text);
  }

  /** The account of an identity, suspended or not: one indexed read. */
  async findByIdentity({ issuer, subject }: Identity): Promise<KnownIdentity | null> {
    const text = await this.statement(BY_IDENTITY, [issuer, subject]).first<string>("text");
    return text === null ? null : identityOf(text, this.#database);
  }

  /** Returns the preflight that admits an identity only to this account, which `findByIdentity` has found. */
  preflightByIdentity({ issuer, subject }: Identity, { text }: Account): Preflight {
    return new Preflight(this.db, BY_IDENTITY, [issuer, subject], text);
  }

  /**
   * Returns a statement for a later batch of a request. It fails the batch if the account has been suspended since, or its access
   * has changed.
   */
  unchanged({ accountId, text }: Account): D1PreparedStatement {
    return this.statement(unless(`EXISTS (${UNCHANGED})`), [accountId, text]);
  }

  /** Without a preflight, for a request whose account has just been read. */
  get open(): Batching {
    return this.db;
  }

  /** Creates the account of an identity under the id `accountId`, or updates its profile. Two concurrent calls create one. */
  async saveIdentity(
    identity: Identity,
    { email, emailVerified, name, image }: Profile,
    accountId: string,
    now: number,
  ): Promise<KnownIdentity> {
    const [, read] = await this.db.batch<{ text: string }>([
      this.statement(
        `INSERT INTO accounts
           (id, issuer, subject, email, email_verified, name, image, plan, created_at, updated_at)
         VALUES (:id, :issuer, :subject, :email, :emailVerified, :name, :image, 'trial', :now, :now)
         ON CONFLICT (issuer, subject) WHERE subject IS NOT NULL DO UPDATE SET
           email = excluded.email, email_verified = excluded.email_verified,
           name = excluded.name, image = excluded.image, updated_at = excluded.updated_at
         ON CONFLICT (id) DO NOTHING`,
        { ...identity, id: accountId, email, emailVerified: Number(emailVerified), name, image, now },
      ),
      this.statement(BY_IDENTITY, [identity.issuer, identity.subject]),
    ]);
    return identityOf(present(read?.results[0]).text, this.#database);
  }

  /** Returns the digests of an account's keys and of its links' tokens, and its identity; null if it has none. */
  async credentials(accountId: string): Promise<{ keys: string[]; identity: Identity | null }> {
    const row = await this.first<{ keys: string; issuer: string | null; subject: string | null }>(
      `SELECT issuer, subject,
         (SELECT json_group_array(digest) FROM (SELECT digest FROM api_keys WHERE account_id = ?1
            UNION ALL SELECT digest FROM shares WHERE account_id = ?1)) AS keys
       FROM accounts WHERE id = ?1`,
      [accountId],
    );
    if (row === null) return { keys: [], identity: null };
    const { keys, issuer, subject } = row;
    const identity = issuer === null || subject === null ? null : { issuer, subject };
    return { keys: JSON.parse(keys), identity };
  }

  /** Returns the data for getAccount; null if there is no such account. */
  async profile(accountId: string): Promise<AccountProfile | null> {
    const row = await this.first<ProfileRow>(`SELECT ${PROFILE.join(", ")} FROM accounts a WHERE a.id = ?1`, [
      accountId,
    ]);
    if (row === null) return null;
    const profile = profileOf(row);
    return { accountId, ...profile, name: nameOf(profile), status: row.status };
  }
}
