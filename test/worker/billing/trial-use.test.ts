import { describe, expect, it } from "vitest";
import { newId } from "../../../src/shared/ids.ts";
import { closeBooks } from "../../../src/billing/operations/close-books.ts";
import { ACCOUNT_USE } from "../../../src/billing/store/ledger.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { openEntries } from "../../support/worker/fixtures/closing.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { settledJob, useTokens } from "../../support/worker/fixtures/ledger.ts";

describe("the used part of an account's trial", () => {
  it("is read in the same number of rows with any number of failed trial jobs", async () => {
    const [few, many] = [(await newClient("trial")).accountId, (await newClient("trial")).accountId];
    await useTokens(few, 1, 5);
    await home.DB.batch(
      ["reserve", "settle", "release"].map((kind) =>
        home.DB.prepare(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
           INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
           SELECT ?1, 'job_' || i, ?2, 'trial', iif(?2 = 'settle', 0, 1), i FROM n`,
        ).bind(many, kind),
      ),
    );
    await useTokens(many, 1, 5_000);
    const read = async (accountId: string): Promise<number> =>
      (await home.DB.prepare(ACCOUNT_USE).bind(accountId).all()).meta.rows_read;
    expect(await read(many)).toBe(await read(few));
    const { ledger } = home.platform;
    expect((await ledger.use(few)).trial).toEqual({ usedTokens: 1, startedAt: 5 });
    expect((await ledger.use(many)).trial).toEqual({ usedTokens: 1, startedAt: 1 });
  });

  it("began with the first job that was accepted, even if that is in the closed books and an older one turns out void", async () => {
    const { accountId } = await newClient("trial");
    const { jobs, ledger } = home.platform;
    const begun = Date.now() - 40 * 86_400_000;
    const open = newId("job");
    await home.DB.prepare(
      "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, 'reserve', 'trial', 1, ?3)",
    )
      .bind(accountId, open, begun)
      .run();
    await settledJob(accountId, { units: 1, fund: "trial", endedAt: begun + 1 });
    await closeBooks(home.platform, Date.now());
    expect(await openEntries(accountId)).toHaveLength(1);
    await jobs.withdraw(open, Date.now());
    expect((await ledger.use(accountId)).trial).toEqual({ usedTokens: 1, startedAt: begun + 1 });
  });
});
