import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { rebuildDirectory } from "../../scripts/operate/admin/rebuild-directory.ts";
import { platformOf, type Platform } from "../../src/platform.ts";
import { deleteCopy, moveAccount } from "../../src/operator/operations/move-account.ts";
import { relistJobs } from "../../src/operator/operations/relist-job.ts";
import { FakeIdentityProvider } from "../support/worker/client/access-tokens.ts";
import { newKey } from "../support/worker/client/api-keys.ts";
import { newClient, type Client } from "../support/worker/client/api.ts";
import { asOperator } from "../support/worker/runtime/database.ts";
import { logged } from "../support/worker/runtime/crons.ts";
import { moveUntil, resident } from "../support/worker/fixtures/moves.ts";
import { Draw } from "../support/worker/client/random.ts";
import {
  database,
  databasesWith,
  inDatabase,
  rowsOf,
  sendIn,
  takeNewAccounts,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";

const ALL = ["DB", "DB_2", "DB_3"];
const environment = useDatabases(3);
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

const inFirst = (sql: string) => database("DB").prepare(sql).run();
const rebuild = (dryRun = false) =>
  rebuildDirectory(new Map(ALL.map((name) => [name, asOperator(() => database(name))])), { dryRun, page: 3 });

/** Answer of getAccount in an isolate that has not seen the credential. */
async function accountOf(credential: string): Promise<string | number> {
  const { status, body } = await sendIn(withDatabases(3), credential, "GET", "/v1/account");
  return status === 200 ? body.accountId : status;
}

/** All that the directory says: where accounts are, and whose credentials are whose. */
async function directory(): Promise<Pair[][]> {
  const db = database("DB");
  const read = ["directory_accounts", "directory_credentials"].map((table) =>
    db.prepare(`SELECT * FROM ${table} ORDER BY 1`),
  );
  const tables = await db.batch<Record<string, string>>(read);
  return tables.map(({ results }) => results.map((row) => Object.values(row)));
}

type Pair = string[];

/** From now on the directory says this, and nothing else. */
async function restoreDirectory([places = [], owners = []]: readonly Pair[][] = []): Promise<void> {
  const db = database("DB");
  const insert = (table: string, pairs: readonly Pair[]) =>
    pairs.map((pair) => db.prepare(`INSERT INTO ${table} VALUES (?1, ?2)`).bind(...pair));
  await db.batch([
    db.prepare("DELETE FROM directory_credentials"),
    db.prepare("DELETE FROM directory_accounts"),
    ...insert("directory_accounts", places),
    ...insert("directory_credentials", owners),
  ]);
}

/** A person's account in a database: its id, and a token. */
async function personIn(
  provider: FakeIdentityProvider,
  name: string,
): Promise<{ id: string; token: string }> {
  await takeNewAccounts([name]);
  const token = await provider.issue();
  return { id: String(await accountOf(token)), token };
}

describe("a directory that is lost", () => {
  it("is rebuilt from the books of all databases: every credential is found again; a second time changes nothing [A9-5]", async () => {
    const moved = await resident(platform, "DB");
    await moveUntil(platform, moved.accountId, "DB_3", "moved");
    const keys: Client[] = [moved];
    const persons: Awaited<ReturnType<typeof personIn>>[] = [];
    const provider = await FakeIdentityProvider.start();
    for (const name of ALL) {
      keys.push(await inDatabase(name, () => newClient("paid")));
      persons.push(await personIn(provider, name));
    }
    await restoreDirectory();
    expect(await Promise.all(keys.map(({ key }) => accountOf(key)))).toEqual([
      401,
      keys[1]?.accountId,
      401,
      401,
    ]);

    const asked = await rebuild(true);
    expect(asked).toMatchObject({ exitCode: 1, summary: expect.stringContaining("accounts 5,") });
    expect(await directory()).toEqual([[], []]);
    expect(await rebuild()).toMatchObject({ exitCode: 0, result: [] });
    expect(await Promise.all(keys.map(({ key }) => accountOf(key)))).toEqual(
      keys.map(({ accountId }) => accountId),
    );
    expect(await Promise.all(persons.map(({ token }) => accountOf(token)))).toEqual(
      persons.map(({ id }) => id),
    );
    const rebuilt = await directory();
    expect(await rebuild()).toMatchObject({
      exitCode: 0,
      summary: expect.stringContaining("accounts 0, credentials 0, credentials of erased accounts 0."),
    });
    expect(await directory()).toEqual(rebuilt);
  });

  it("never makes a second account at sign-in: the account is found in its database, and entered again [A9-5]", async () => {
    const provider = await FakeIdentityProvider.start();
    const { id, token } = await personIn(provider, "DB_3");
    const { secret } = await newKey(
      {
        accountId: id,
        key: token,
        send: (method, path, body, headers) => sendIn(environment, token, method, path, body, headers),
      },
      "laptop",
    );
    const before = await directory();
    await restoreDirectory();
    await takeNewAccounts(["DB_2"]);
    expect(await accountOf(secret)).toBe(401);
    const lines = logged();
    expect(await Promise.all([accountOf(token), accountOf(token)])).toEqual([id, id]);
    expect(lines().map(({ event }) => event)).toContain("directory_lacked_account");
    expect(await accountOf(secret)).toBe(id);
    expect(await databasesWith(id)).toEqual(["DB_3"]);
    expect(await directory()).toEqual(before);
  });
});

describe("a directory that is older than the books", () => {
  it("learns of accounts that were created, moved and erased since, and of keys; it forgets erased accounts [A9-5]", async () => {
    const moved = await resident(platform, "DB_2");
    const provider = await FakeIdentityProvider.start();
    const erased = await personIn(provider, "DB_2");
    const back = await inDatabase("DB_3", () => newClient("paid"));
    const earlier = await directory();
    await platform.at("DB_2").erasures.begin(erased.id, Date.now());
    await platform.directory.forgetCredentials(erased.id);
    const created = await inDatabase("DB_3", () => newClient("trial"));
    await moveUntil(platform, moved.accountId, "DB_3", "moved");
    await moveUntil(platform, back.accountId, "DB", "moved");
    const another = await newKey(moved, "since");

    await restoreDirectory(earlier);
    expect(await rebuild()).toMatchObject({ exitCode: 0, result: [] });
    const wanted = [moved.accountId, moved.accountId, back.accountId, created.accountId];
    expect(
      await Promise.all([moved.key, another.secret, back.key, created.key].map((key) => accountOf(key))),
    ).toEqual(wanted);
    // The person is free: the next token creates a new account.
    await takeNewAccounts(["DB_3"]);
    const next = await accountOf(erased.token);
    expect(next).toMatch(/^acct_/);
    expect(next).not.toBe(erased.id);
  });

  it("says which accounts it knows are in no database", async () => {
    await inFirst("INSERT INTO directory_accounts (account_id, books) VALUES ('acct_lost', 'DB_2')");
    expect(await rebuild()).toMatchObject({
      exitCode: 0,
      result: [{ problem: "an account in no database", subject: "acct_lost", detail: "DB_2" }],
    });
  });

  it("returns an account that its database has lost to its person, under its id", async () => {
    const { id, token } = await personIn(await FakeIdentityProvider.start(), "DB_2");
    await database("DB_2").prepare("DELETE FROM accounts").run();
    await takeNewAccounts(["DB_3"]);
    expect(await accountOf(token)).toBe(id);
    expect(await databasesWith(id)).toEqual(["DB_2"]);
  });

  it("is repaired after any loss or error", async () => {
    const draw = new Draw();
    const provider = await FakeIdentityProvider.start();
    const known: { id: string; credential: string }[] = [];
    for (let i = 0; i < 6; i += 1) {
      const name = draw.oneOf(ALL);
      const { accountId, key } = await inDatabase(name, () => newClient("paid"));
      const { id, token } = await personIn(provider, name);
      known.push({ id: accountId, credential: key }, { id, credential: token });
    }
    const ids = known.map(({ id }) => id);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      for (const { id } of known) {
        const other = draw.oneOf(ids);
        const harm = draw.oneOf([
          `DELETE FROM directory_credentials WHERE account_id = '${id}'`,
          `UPDATE directory_accounts SET books = '${draw.oneOf(ALL)}' WHERE account_id = '${id}'`,
          `UPDATE directory_credentials SET account_id = '${other}' WHERE account_id = '${id}' AND EXISTS (SELECT 1 FROM directory_accounts WHERE account_id = '${other}')`,
          `DELETE FROM directory_accounts WHERE account_id = '${id}' AND account_id NOT IN (SELECT account_id FROM directory_credentials)`,
          "SELECT 1",
        ]);
        await inFirst(harm);
      }
      expect(await rebuild()).toMatchObject({ exitCode: 0, result: [] });
      expect(await Promise.all(known.map(({ credential }) => accountOf(credential)))).toEqual(ids);
      const after = await directory();
      await rebuild();
      expect(await directory()).toEqual(after);
    }
  });
});

describe("an account that cannot be placed", () => {
  it("because two databases have it, is reported, and stays as the directory says [A9-5]", async () => {
    const { accountId } = await resident(platform, "DB_2");
    await moveUntil(platform, accountId, "DB_3", "copied");
    for (const name of ["DB_2", "DB_3"]) await database(name).prepare("DELETE FROM in_transit").run();
    const before = await directory();
    expect(await rebuild()).toMatchObject({
      exitCode: 1,
      result: [{ problem: "an account in two databases", subject: accountId, detail: "DB_2, DB_3" }],
    });
    expect(await directory()).toEqual(before);
    // Once it is erased in both, nothing is left to decide.
    for (const name of ["DB_2", "DB_3"]) await platform.at(name).erasures.begin(accountId, Date.now());
    expect(await rebuild()).toMatchObject({ exitCode: 0, result: [] });
  });

  it("is in one database alone after its stale copy is deleted; its books do not change", async () => {
    const { accountId, key } = await resident(platform, "DB_2");
    await moveUntil(platform, accountId, "DB_3", "copied");
    await inFirst("UPDATE directory_accounts SET books = 'DB_3'");
    for (const name of ["DB_2", "DB_3"]) await database(name).prepare("DELETE FROM in_transit").run();
    const own = await rowsOf("DB_3", accountId);
    // The stale copy believes that a job is under way, which has ended since.
    await database("DB_2").prepare("UPDATE jobs SET status = 'processing'").run();

    await expect(deleteCopy(platform, accountId, "DB_3", true)).rejects.toThrow("is active in DB_3");
    await expect(deleteCopy(platform, accountId, "DB", true)).rejects.toThrow("nothing of the account");
    expect(await deleteCopy(platform, accountId, "DB_2", false)).toMatchObject({
      state: "copied",
      to: "DB_3",
    });
    expect(await databasesWith(accountId)).toEqual(["DB_2", "DB_3"]);
    expect(await deleteCopy(platform, accountId, "DB_2", true)).toMatchObject({ state: "moved", to: "DB_3" });
    expect(await databasesWith(accountId)).toEqual(["DB_3"]);
    expect(await rowsOf("DB_3", accountId)).toEqual(own);
    expect(await accountOf(key)).toBe(accountId);
    expect(await rebuild()).toMatchObject({ exitCode: 0, result: [] });
  });

  it("keeps its copy if the directory names another database", async () => {
    const { accountId } = await resident(platform, "DB_2");
    await inFirst("UPDATE directory_accounts SET books = 'DB_3'");
    await expect(deleteCopy(platform, accountId, "DB_2", true)).rejects.toThrow("rebuild-directory");
    expect(await databasesWith(accountId)).toEqual(["DB_2"]);
  });

  it("because its identity has another account, is reported with that, and stays as the directory says", async () => {
    const provider = await FakeIdentityProvider.start();
    const { id, token } = await personIn(provider, "DB_2");
    const twin = await inDatabase("DB_3", () => newClient("trial"));
    const identity = (await platform.at("DB_2").accounts.credentials(id)).identity;
    await database("DB_3")
      .prepare("UPDATE accounts SET issuer = ?2, subject = ?3 WHERE id = ?1")
      .bind(twin.accountId, identity?.issuer, identity?.subject)
      .run();
    const before = await directory();
    const { result, exitCode } = await rebuild();
    expect(exitCode).toBe(1);
    expect(result).toEqual([
      expect.objectContaining({
        problem: "a credential of two accounts",
        detail: expect.stringMatching(new RegExp(`${id} in DB_2.*${twin.accountId} in DB_3`)),
      }),
    ]);
    expect(await directory()).toEqual(before);
    expect([await accountOf(token), await accountOf(twin.key)]).toEqual([id, twin.accountId]);
  });
});

describe("an account that is being moved while the directory is rebuilt", () => {
  it("stays in its old database until that has released it, and is then in the new one; the move can be ended", async () => {
    const client = await resident(platform, "DB_2");
    const { accountId, key } = client;
    await moveUntil(platform, accountId, "DB_3", "copied");
    await restoreDirectory();
    expect(await rebuild()).toMatchObject({
      exitCode: 0,
      result: [{ problem: "an account that is being moved", subject: accountId, detail: "DB_2, DB_3" }],
    });
    expect(await platform.directory.databaseOf(accountId)).toBe("DB_2");
    await moveUntil(platform, accountId, "DB_3", "moved");
    expect(await accountOf(key)).toBe(accountId);
    expect(await databasesWith(accountId)).toEqual(["DB_3"]);
  });
});

describe("a database that was restored to before the end of a move", () => {
  it("releases the account when it is moved there again complete, and says so if something is missing", async () => {
    const { accountId, key } = await resident(platform, "DB_2");
    await moveUntil(platform, accountId, "DB_3", "moved");
    const awaitAccount = (place: object) =>
      database("DB_3")
        .prepare(
          "INSERT INTO in_transit (account_id, direction, other, place, begun_at) VALUES (?1, 'in', 'DB_2', ?2, 1) ON CONFLICT DO UPDATE SET place = excluded.place",
        )
        .bind(accountId, JSON.stringify(place))
        .run();
    await awaitAccount({ table: 3, after: null });
    expect(await accountOf(key)).toBe(503);
    await expect(moveAccount(platform, accountId, "DB_3", true)).rejects.toThrow(
      "only a part of the account",
    );
    await awaitAccount({ table: 99, after: null });
    expect(await moveAccount(platform, accountId, "DB_3", true)).toMatchObject({ state: "moved" });
    expect(await accountOf(key)).toBe(accountId);
  });

  it("has relisting tell the objects of the account's jobs its present database", async () => {
    const { accountId, jobId, key } = await resident(platform, "DB_2");
    // As a move that both databases have lost has told it.
    const object = env.JOBS.getByName(jobId);
    await object.moveTo("DB_3");
    const found = () => relistJobs(platform, [env.JOBS.idFromName(jobId).toString()], false);
    expect(await found()).toEqual([expect.objectContaining({ jobId, accountId, found: "listed" })]);
    expect((await object.listing())?.definition.database).toBe("DB_2");
    expect((await sendIn(environment, key, "DELETE", `/v1/jobs/${jobId}`)).status).toBe(204);
    expect((await sendIn(environment, key, "GET", "/v1/jobs")).body.items).not.toContainEqual(
      expect.objectContaining({ jobId }),
    );
  });
});
