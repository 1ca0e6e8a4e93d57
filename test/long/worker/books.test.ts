import { expect, it } from "vitest";
import { expectAllThere, yearOfUse } from "../../support/worker/fixtures/year-of-use.ts";

const ACCOUNTS = 40;
const JOBS_A_MONTH = 84_000;

it("a year of use, a million jobs, closed month by month, leaves as many rows per account as two months do", async () => {
  const began = Date.now();
  const ends = await yearOfUse(ACCOUNTS, JOBS_A_MONTH);
  const closed = Date.now();
  const [, , third, ...later] = ends;
  for (const end of later) {
    expect(end.closings).toBe(ACCOUNTS);
    expect(end.entries).toBeLessThanOrEqual((third?.entries ?? 0) * 1.1);
    expect(end.events).toBeLessThanOrEqual((third?.events ?? 0) * 1.1);
    expect(end.bytes).toBeLessThanOrEqual((third?.bytes ?? 0) * 1.2);
  }
  await expectAllThere(ACCOUNTS, JOBS_A_MONTH);
  const seconds = (ms: number) => (ms / 1_000).toFixed(0);
  console.log(
    `${seconds(closed - began)} s of use and closing; read back in ${seconds(Date.now() - closed)} s`,
  );
}, 3_600_000);
