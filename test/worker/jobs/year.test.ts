import { expect, it } from "vitest";
import { expectAllThere, yearOfUse } from "../../support/worker/year-of-use.ts";

it("a year of use, closed month by month, leaves as many rows per account as two months do, and nothing is lost", async () => {
  const accounts = 5;
  const ends = await yearOfUse(accounts, 500);
  const [, , third, ...later] = ends;
  for (const end of later) {
    expect(end.closings).toBe(accounts);
    expect(end.entries).toBeLessThanOrEqual((third?.entries ?? 0) * 1.1);
    expect(end.events).toBeLessThanOrEqual((third?.events ?? 0) * 1.1);
  }
  await expectAllThere(accounts, 500);
});
