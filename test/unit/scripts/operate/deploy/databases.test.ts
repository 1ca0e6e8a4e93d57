import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  accountDatabases,
  readConfiguration,
} from "../../../../../scripts/shared/cloudflare/configuration.ts";
import { runDeploy } from "../../../../../scripts/operate/deploy/run.ts";
import { aroundEachDeployment, deploy, prepare, fake, world } from "../../../../support/stack/deployment.ts";
import { completeAccount, DATABASE_ID } from "../../../../support/stack/half-configured.ts";
import type { FakeAccount } from "../../../../support/stack/wrangler/account.ts";

aroundEachDeployment();

/** The operator's configuration of two more databases: neither has an id yet. */
const TWO_MORE = ["2", "3"]
  .map((n) => `[[d1_databases]]\nbinding = "DB_${n}"\ndatabase_name = "segmentation-${n}"\n`)
  .join("\n");
const [SECOND_ID, THIRD_ID] = ["6", "7"].map((n) => DATABASE_ID.replace(/5$/, n));
const MADE = [
  { binding: "DB", database_name: "segmentation", database_id: DATABASE_ID },
  { binding: "DB_2", database_name: "segmentation-2", database_id: SECOND_ID },
  { binding: "DB_3", database_name: "segmentation-3", database_id: THIRD_ID },
];

/** A deployed service whose operator wants two more databases. */
async function withTwoMore(change: Partial<FakeAccount> = {}) {
  const folder = await prepare({});
  const own = join(folder.path, "wrangler.operator.toml");
  await writeFile(own, TWO_MORE);
  const account = { ...(await completeAccount()), ...change };
  const { wrangler, calls } = fake(account);
  const run = (...args: string[]) =>
    runDeploy(["--config", folder.config, ...args], new AbortController().signal, {
      wrangler,
      healthPatienceMs: 0,
    });
  return {
    account,
    calls,
    own,
    run,
    bound: async () => accountDatabases(await readConfiguration(folder.config)),
  };
}

describe("another database that the operator has bound", () => {
  it("is made, named in his file and migrated before the deployment; and again without a change", async () => {
    const { account, calls, own, run, bound } = await withTwoMore();
    expect(await run("--create", "--yes"), world.printed).toBe(0);
    expect(account.databases.map(({ name }) => name)).toEqual([
      "segmentation",
      "segmentation-2",
      "segmentation-3",
    ]);
    expect(await bound()).toMatchObject(MADE);
    expect(account.applied["DB"]?.length).toBeGreaterThan(0);
    expect(account.applied).toEqual(
      Object.fromEntries(MADE.map(({ binding }) => [binding, account.applied["DB"]])),
    );
    expect(calls.slice(-4)).toEqual([
      ...MADE.map(({ binding }) => `d1 migrations apply ${binding}`),
      "deploy",
    ]);

    const before = [structuredClone(account), await readFile(own, "utf8")];
    calls.length = 0;
    expect(await run("--create", "--yes")).toBe(0);
    expect(calls.filter((words) => words.startsWith("d1 create"))).toEqual([]);
    expect([account, await readFile(own, "utf8")]).toEqual(before);
  });

  it("is finished by the next run after any failed step; nothing is deployed before all are migrated", async () => {
    const steps = ["d1 create segmentation-2", "d1 create segmentation-3"];
    for (const step of [...steps, "d1 migrations apply DB_2", "d1 migrations apply DB_3"]) {
      const { account, calls, run, bound } = await withTwoMore({ broken: [step], deployed: false });
      const outcome = await run("--create", "--yes").catch(() => 1);
      expect([step, outcome, account.deployed]).toEqual([step, 1, false]);
      expect(calls).not.toContain("deploy");
      account.broken = [];
      expect(await run("--create", "--yes"), `${step}: ${world.printed}`).toBe(0);
      expect(account.databases.map(({ name }) => name).toSorted()).toEqual(
        MADE.map(({ database_name: name }) => name),
      );
      expect(Object.keys(account.applied).toSorted()).toEqual(["DB", "DB_2", "DB_3"]);
      expect((await bound()).map(({ database_id: id }) => id).toSorted()).toEqual(
        account.databases.map(({ uuid }) => uuid).toSorted(),
      );
    }
  });

  it("is named with its commands while it is missing, and with the migrations that it lacks once it is there", async () => {
    const { account, run } = await withTwoMore();
    expect(await run("--dry-run")).toBe(1);
    expect(world.printed).toContain(
      "database_id of DB_2: it has none yet\n    → npx wrangler d1 create segmentation-2",
    );
    expect(world.printed).toContain("database segmentation-3: the account has no database with this id");

    expect(await run("--create", "--yes")).toBe(0);
    account.applied["DB_3"] = account.applied["DB_3"]?.slice(1) ?? [];
    world.printed = "";
    expect(await run("--dry-run")).toBe(0);
    expect(world.printed).toMatch(
      /migration 0001\S+ of segmentation-3: not applied yet\n {4}→ npx wrangler d1 migrations apply DB_3 --remote/,
    );
    expect(world.printed).not.toContain("of segmentation-2");
  });

  it.each([
    ["name", `database_name = "segmentation"\ndatabase_id = "${SECOND_ID}"`],
    ["id", `database_name = "segmentation-2"\ndatabase_id = "${DATABASE_ID}"`],
  ])("is refused with the %s of a bound one: a move would delete its own copy", async (_, same) => {
    const edit = (toml: string) => `${toml}\n[[d1_databases]]\nbinding = "DB_2"\n${same}\n`;
    const { exitCode, findings } = await deploy({ edit }, "--dry-run");
    expect(exitCode).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "missing",
        what: "database DB_2",
        problem: "it is the one that is bound as DB",
      }),
    );
  });
});
