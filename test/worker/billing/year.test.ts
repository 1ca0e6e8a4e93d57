import { expect, it } from "vitest";
import { expectAllThere, yearOfUse } from "../../support/worker/fixtures/year-of-use.ts";

/** Three until the rows grow no more, and two to see that they don't; test/long/worker/books.test.ts has the whole year. */
const MONTHS = 5;

it("months of use, closed one by one, leave as many rows per account as two of them do, and nothing is lost", async () => {
  const accounts = 5;
  const ends = await yearOfUse(accounts, 500, MONTHS);
  const [, , third, ...later] = ends;
  for (const end of later) {
    expect(end.closings).toBe(accounts);
    expect(end.entries).toBeLessThanOrEqual((third?.entries ?? 0) * 1.1);
    expect(end.events).toBeLessThanOrEqual((third?.events ?? 0) * 1.1);
  }
  await expectAllThere(accounts, 500, MONTHS);
});
