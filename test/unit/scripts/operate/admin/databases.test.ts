import { describe, expect, it } from "vitest";
import { showAccount } from "../../../../../scripts/shared/database/accounts.ts";
import {
  addDatabase,
  booksOf,
  checkLedgers,
  createAccountSomewhere,
  createKeyWhereItIs,
  type Databases,
  findJobAnywhere,
  listAllAccounts,
  listDatabases,
  revokeKeyWhereItIs,
} from "../../../../../scripts/operate/admin/databases.ts";
import { listKeys } from "../../../../../scripts/shared/database/keys.ts";
import { deleteCopy, moveAccount } from "../../../../../scripts/operate/admin/move-account.ts";
import { MoveReport } from "../../../../../src/operator/contract/operator.ts";
import { apiKeyDigest } from "../../../../../src/accounts/rules/api-key.ts";
import { openDatabase } from "../../../../support/stack/database.ts";
import { at } from "../../../../support/at.ts";

const open = (...names: string[]): Databases => new Map(names.map((name) => [name, openDatabase()]));

const person = (name: string) =>
  ({ email: `${name}@example.com`, name, plan: "paid", keyLabel: "first" }) as const;

const PAGE = { email: null, after: null, limit: 50 };

/** Creates accounts. Returns their databases. */
async function createAll(databases: Databases, names: readonly string[]): Promise<string[]> {
  for (const name of names) await createAccountSomewhere(databases, person(name));
  const { accounts } = await listAllAccounts(databases, PAGE);
  return accounts.map((account) => String(account["database"])).toReversed();
}

describe("the operator's accounts in several databases", () => {
  it("are created in the emptiest open database, and known to the directory", async () => {
    const databases = open("DB", "DB_2", "DB_3");
    expect(await createAll(databases, ["a", "b"])).toEqual(["DB", "DB"]);
    await addDatabase(databases, "DB_2");
    expect(await createAll(databases, ["c", "d", "e", "f"])).toEqual([
      "DB",
      "DB",
      "DB",
      "DB_2",
      "DB",
      "DB_2",
    ]);
    expect(await listDatabases(databases)).toMatchObject([
      { database: "DB", takesNewAccounts: "yes", accounts: 4 },
      { database: "DB_2", takesNewAccounts: "yes", accounts: 2 },
      { database: "DB_3", takesNewAccounts: "no", accounts: 0 },
    ]);
    await expect(createAccountSomewhere(databases, person("d"))).rejects.toThrow("already has an account");
  });

  it("are counted even if no directory names them, because there is one database", async () => {
    const databases = open("DB");
    for (const name of ["a", "b", "c"]) await createAccountSomewhere(databases, person(name));
    expect(await listDatabases(databases)).toMatchObject([{ database: "DB", accounts: 3 }]);
  });

  it("are shown, get keys and lose them in their database", async () => {
    const databases = open("DB", "DB_2");
    await addDatabase(databases, "DB_2");
    await createAccountSomewhere(databases, person("a"));
    const { accountId } = await createAccountSomewhere(databases, person("b"));
    const books = await booksOf(databases, accountId);
    expect(books).toBe(databases.get("DB_2"));
    expect(await showAccount(books, accountId, Date.now())).toMatchObject({ accountId });
    const { keyId, secret } = await createKeyWhereItIs(databases, accountId, "second");
    const digest = await apiKeyDigest(secret);
    const entries = await databases
      .get("DB")
      ?.run([`SELECT account_id FROM directory_credentials WHERE credential = '${digest}'`]);
    expect(entries).toEqual([[{ account_id: accountId }]]);
    expect(await revokeKeyWhereItIs(databases, keyId)).toMatch(/^20/);
    await expect(revokeKeyWhereItIs(databases, "key_0")).rejects.toThrow("no API key");
    await expect(findJobAnywhere(databases, "job_0")).rejects.toThrow("no job");
  });

  it("get no key that the directory does not know", async () => {
    const databases = open("DB", "DB_2");
    await addDatabase(databases, "DB_2");
    await createAccountSomewhere(databases, person("a"));
    const { accountId } = await createAccountSomewhere(databases, person("b"));
    const books = await booksOf(databases, accountId);
    const directory = await booksOf(databases, "acct_of_the_first");
    const broken: Databases = new Map(databases).set("DB", {
      run: (statements) =>
        statements.some((statement) => statement.startsWith("INSERT"))
          ? Promise.reject(new Error("it is away"))
          : directory.run(statements),
    });
    await expect(createKeyWhereItIs(broken, accountId, "second")).rejects.toThrow("it is away");
    expect(await listKeys(books, accountId)).toHaveLength(1);
  });

  it("have ledgers that are checked in each database", async () => {
    const databases = open("DB", "DB_2");
    const { accountId } = await createAccountSomewhere(databases, person("a"));
    await databases
      .get("DB")
      ?.run([
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES ('${accountId}', 'job_1', 'reserve', 'paid', 1, 1) RETURNING id`,
      ]);
    const { findings, summary } = await checkLedgers(databases, 100, Date.now(), {});
    expect(findings).toEqual([expect.objectContaining({ database: "DB", subject: "job_1" })]);
    expect(summary).toContain("DB_2: The ledger agrees");
  });

  it("are the same as with one database", async () => {
    const databases = open("DB");
    const { accountId } = await createAccountSomewhere(databases, person("a"));
    expect((await listAllAccounts(databases, PAGE)).accounts).toEqual([
      expect.not.objectContaining({ database: expect.anything() }),
    ]);
    expect(await booksOf(databases, accountId)).toBe(databases.get("DB"));
    const [rows] = (await databases.get("DB")?.run(["SELECT * FROM directory_accounts"])) ?? [];
    expect(rows).toEqual([]);
  });

  it("do not go to a database that is not bound or not migrated", async () => {
    const databases = new Map([...open("DB", "DB_2"), ["DB_3", { run: async () => [[{ names: "other" }]] }]]);
    await expect(addDatabase(databases, "DB_4")).rejects.toThrow("no database with the binding DB_4");
    await expect(addDatabase(databases, "DB_3")).rejects.toThrow("Apply the migrations");
  });
});

describe("the command that moves an account", () => {
  const report = (state: MoveReport["state"]): MoveReport => ({
    accountId: "acct_1",
    state,
    from: "DB",
    to: "DB_2",
    rows: 7,
  });
  const agrees = { findings: [], summary: "The ledger agrees." };

  /** Fakes the Worker: it answers with these states in turn. */
  function fake(states: MoveReport["state"][], findings: Record<string, object[]> = {}) {
    const asked: boolean[] = [];
    const checked: string[] = [];
    const outcome = moveAccount({
      ask: async (confirmed) => {
        asked.push(confirmed);
        return report(at(states, asked.length - 1));
      },
      checkLedger: async (name) => {
        checked.push(name);
        return { ...agrees, findings: (findings[name] ?? []).map(() => ({ problem: "differs" })) };
      },
      onProgress: () => {},
    });
    return { outcome, asked, checked };
  }

  it("confirms the copy once its ledger agrees, and checks the old place at the end", async () => {
    const { outcome, asked, checked } = fake(["copying", "copied", "moving", "moved"]);
    expect(await outcome).toMatchObject({ exitCode: 0, result: { database: "DB_2", rows: 7 } });
    expect(asked).toEqual([false, false, true, true]);
    expect(checked).toEqual(["DB_2", "DB"]);
  });

  it("confirms nothing if the ledger with the copy disagrees", async () => {
    const { outcome, asked } = fake(["copied"], { DB_2: [{}] });
    await expect(outcome).rejects.toThrow("--to DB");
    expect(asked).toEqual([false]);
  });

  it("deletes a stale copy run by run, once that is confirmed; before, it only shows it", async () => {
    const asked: boolean[] = [];
    const states = ["copied", "moving", "moved"] as const;
    const ask = async (confirmed: boolean) => report(at(states, asked.push(confirmed) - 1));
    expect(await deleteCopy(false, { ask, onProgress: () => {} })).toMatchObject({ exitCode: 1 });
    expect(await deleteCopy(true, { ask, onProgress: () => {} })).toMatchObject({
      summary: "The account is in DB_2 alone.",
    });
    expect(asked).toEqual([false, true, true]);
  });

  it("reports a disagreement of the old place afterward", async () => {
    const { outcome } = fake(["copied", "moved"], { DB: [{}] });
    expect(await outcome).toMatchObject({ exitCode: 1 });
  });
});
