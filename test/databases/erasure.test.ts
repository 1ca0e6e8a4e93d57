import { beforeEach, describe, expect, it, vi } from "vitest";
import { platformOf, type Platform } from "../../src/platform.ts";
import { moveAccount } from "../../src/operator/operations/move-account.ts";
import type { Answer } from "../support/worker/client/api.ts";
import { cutOffDatabases, moveUntil, resident } from "../support/worker/fixtures/moves.ts";
import { Draw } from "../support/worker/client/random.ts";
import {
  database,
  databasesWith,
  rowsOf,
  sendIn,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";
import { expectError } from "../support/worker/client/wire.ts";

const environment = useDatabases(3);
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

/** Asks the operator's API for a run of an erasure. */
const erase = (accountId: string): Promise<Answer> =>
  sendIn(
    environment,
    platform.settings.OPERATOR_TOKEN ?? "",
    "POST",
    `/internal/operator/accounts/${accountId}/erase`,
  );

/** Asks for runs, as the command does, until nothing is left. */
async function eraseWhole(accountId: string): Promise<void> {
  for (let runs = 0; runs < 5; runs += 1) if ((await erase(accountId)).body.state === "emptied") return;
  throw new Error(`${accountId} is not emptied`);
}

/** The tables in which a database has something of an account other than its emptied row and its books. */
async function remains(name: string, accountId: string): Promise<string[]> {
  const books = new Set(["ledger", "ledger_closings", "meter_events", "former_customers"]);
  return Object.entries(await rowsOf(name, accountId)).flatMap(([table, rows]) => {
    const isEmptied = table === "accounts" && rows.every((row) => JSON.stringify(row).includes('"email":""'));
    return rows.length === 0 || isEmptied || books.has(table) ? [] : [`${name}.${table}`];
  });
}

const everywhere = async (accountId: string): Promise<string[]> =>
  (await Promise.all(["DB", "DB_2", "DB_3"].map((name) => remains(name, accountId)))).flat();

describe("the erasure of an account that is being moved", () => {
  it("is refused, and says what to do; nothing is erased, and its keys are known if the move is taken back [A9-6]", async () => {
    const { accountId, key } = await resident(platform, "DB_2");
    const before = await rowsOf("DB_2", accountId);
    await moveUntil(platform, accountId, "DB_3", "copied");
    const refused = await erase(accountId);
    expectError(refused, 503, "account_moving");
    expect(refused.body.message).toContain(`npm run admin -- move-account --account ${accountId} --to DB_3`);
    await moveUntil(platform, accountId, "DB_2", "moved");
    expect(await rowsOf("DB_2", accountId)).toEqual(before);
    // In an isolate that has not seen the key.
    expect((await sendIn(withDatabases(3), key, "GET", "/v1/account")).status).toBe(200);
    expect((await erase(accountId)).body).toMatchObject({ state: "emptied" });
    expect(await everywhere(accountId)).toEqual([]);
  });

  it("is refused while its former place still has rows, although it works at its new place", async () => {
    const { accountId, key } = await resident(platform, "DB_2");
    const cut = vi.spyOn(platform.at("DB_2").transits, "delete").mockRejectedValueOnce(new Error("cut off"));
    await expect(moveUntil(platform, accountId, "DB_3", "moved")).rejects.toThrow("cut off");
    cut.mockRestore();
    expect((await sendIn(environment, key, "GET", "/v1/account")).status).toBe(200);
    expectError(await erase(accountId), 503, "account_moving");
    await moveUntil(platform, accountId, "DB_3", "moved");
    expect((await erase(accountId)).body).toMatchObject({ state: "emptied" });
    expect(await databasesWith(accountId)).toEqual(["DB_3"]);
    expect(await everywhere(accountId)).toEqual([]);
  });

  it("leaves nothing in either database, at any time after the move [A9-6]", async () => {
    const draw = new Draw();
    const cut = cutOffDatabases();
    let refusals = 0;
    for (let call = 1 + draw.upTo(9); call < 80; call += 8 + draw.upTo(16)) {
      const { accountId } = await resident(platform, "DB_2");
      cut.at(call, draw.upTo(1) === 1);
      await moveUntil(platform, accountId, "DB_3", "moved").catch(() => undefined);
      cut.at(Infinity, false);
      if ((await erase(accountId)).status === 503) {
        refusals += 1;
        await moveUntil(platform, accountId, "DB_3", "moved");
        await eraseWhole(accountId);
      }
      expect(await everywhere(accountId), `cut off at call ${call}`).toEqual([]);
      await expect(moveAccount(platform, accountId, "DB", true)).rejects.toThrow("erased");
    }
    expect(refusals).toBeGreaterThan(1);
  });
});

describe("the erasure of an account that a restore has put into two databases", () => {
  it("erases it in both", async () => {
    const { accountId } = await resident(platform, "DB_2");
    await moveUntil(platform, accountId, "DB_3", "copied");
    // As if one database had been restored to before the move, and the other one not.
    for (const name of ["DB_2", "DB_3"]) await database(name).prepare("DELETE FROM in_transit").run();
    expect(await everywhere(accountId)).not.toEqual([]);
    await eraseWhole(accountId);
    expect(await everywhere(accountId)).toEqual([]);
    expect(await databasesWith(accountId)).toEqual(["DB_2", "DB_3"]);
  });
});
