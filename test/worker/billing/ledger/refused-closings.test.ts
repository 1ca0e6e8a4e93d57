import { beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../../src/shared/ids.ts";
import type { Platform } from "../../../../src/platform.ts";
import { closeBooks } from "../../../../src/billing/operations/close-books.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { closedEntries, openEntries } from "../../../support/worker/fixtures/closing.ts";
import { logged } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { settledJob } from "../../../support/worker/fixtures/ledger.ts";
import { later } from "../../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

describe("the books", () => {
  let platform: Platform;
  let client: Client;
  let accountId: string;
  beforeEach(async () => {
    platform = home.platform;
    client = await newClient("trial");
    ({ accountId } = client);
  });

  const close = () => closeBooks(platform, Date.now());

  /** An account of this id, which decides the order of the closings. */
  const account = (id: string) =>
    home.DB.prepare(
      "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, '', 'trial', 0, 0)",
    )
      .bind(id)
      .run();

  /** A job whose entries do not add up. */
  async function wrongJob(of: string): Promise<string> {
    const jobId = newId("job");
    await home.DB.batch(
      [
        ["reserve", 3],
        ["settle", 1],
        ["release", 1],
      ].map(([kind, units]) =>
        home.DB.prepare(
          "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, ?3, 'trial', ?4, 0)",
        ).bind(of, jobId, kind, units),
      ),
    );
    return jobId;
  }

  it("of an inconsistent job are left to a person, with one alert a day, and other accounts' are closed", async () => {
    const wrong = await wrongJob(accountId);
    const other = await newClient("trial");
    await settledJob(other.accountId, { units: 1, fund: "trial", endedAt: Date.now() - 20 * DAY });
    const lines = logged();
    const refusals = () => lines().filter(({ event }) => event === "books_refused");
    await close();
    expect(await closedEntries(other.accountId)).toHaveLength(3);
    expect(await openEntries(accountId)).toHaveLength(3);
    expect(refusals()).toMatchObject([{ level: "error", accountId, jobId: wrong }]);
    later(DAY - 1_000);
    await close();
    expect(refusals()).toHaveLength(1);
    later(2_000);
    await close();
    expect(refusals()).toHaveLength(2);
  });

  it("are closed although those of 70 accounts before are refused, and fill a run", async () => {
    for (let i = 0; i < 70; i += 1) {
      const first = `acct_${i}`;
      await account(first);
      await wrongJob(first);
    }
    await account("acct_z");
    await settledJob("acct_z", { units: 1, fund: "trial", endedAt: Date.now() - 20 * DAY });
    await close();
    expect(await openEntries("acct_z")).toHaveLength(3);
    await close();
    expect(await openEntries("acct_z")).toEqual([]);
  });

  it("are closed although the run before failed at another account's, which fails again and again", async () => {
    const [first, second] = ["acct_0", "acct_1"];
    for (const one of [first, second]) {
      await account(one);
      await settledJob(one, { units: 1, fund: "trial", endedAt: Date.now() - 20 * DAY });
    }
    const { media } = platform;
    const writeText = media.writeText.bind(media);
    vi.spyOn(media, "writeText").mockImplementation(async (key, ...rest) => {
      if (key.includes(first)) throw new Error("the bucket refuses it");
      return writeText(key, ...rest);
    });
    await expect(close()).rejects.toThrow("the bucket refuses it");
    await close();
    expect(await openEntries(first)).toHaveLength(3);
    expect(await openEntries(second)).toEqual([]);
  });
});
