import { describe, expect, it } from "vitest";
import { eraseAccount } from "../../../../../scripts/operate/admin/erase-account.ts";
import type { ErasureReport } from "../../../../../src/operator/contract/operator.ts";

/** A Worker that returns these reports, and then the last one forever. */
function worker(...reports: Partial<ErasureReport>[]) {
  let asked = 0;
  const ask = async (): Promise<ErasureReport> => {
    const report = reports[Math.min(asked, reports.length - 1)];
    asked += 1;
    return {
      accountId: "acct_1",
      state: "erasing",
      jobsLeft: 0,
      uploadsLeft: 0,
      endpointsLeft: 0,
      filesLeft: false,
      deleted: 0,
      checksAgainAt: Date.UTC(2026, 0, 2),
      customerIds: [],
      ...report,
    };
  };
  return { ask, asked: () => asked };
}

const nobody = () => {};

describe("npm run admin -- erase-account", () => {
  it("asks the Worker until nothing is left, and says when the sweep looks again", async () => {
    const { ask, asked } = worker({ jobsLeft: 300 }, { jobsLeft: 100 }, { state: "emptied" });
    expect(await eraseAccount(ask, nobody, 1)).toMatchObject({
      result: {
        accountId: "acct_1",
        state: "emptied",
        checksAgainAt: "2026-01-02T00:00:00.000Z",
        customerIds: null,
      },
      summary: "Nothing is left of the account. The sweep checks once more after 2026-01-02T00:00:00.000Z.",
      exitCode: 0,
    });
    expect(asked()).toBe(3);
  });

  it("leaves the rest to the sweep, with exit code 1", async () => {
    const { ask, asked } = worker({ jobsLeft: 2, deleted: 1 }, { jobsLeft: 1, deleted: 1 }, { jobsLeft: 1 });
    expect(await eraseAccount(ask, nobody, 1)).toMatchObject({
      result: { state: "erasing", jobsLeft: 1 },
      summary: expect.stringContaining("The hourly sweep continues"),
      exitCode: 1,
    });
    expect(asked()).toBe(7);
  });

  it("continues while files alone are left, and reports its progress after each run", async () => {
    const { ask } = worker(
      { jobsLeft: 1, uploadsLeft: 12_000, endpointsLeft: 2, filesLeft: true, deleted: 10_240 },
      { filesLeft: true, deleted: 50_000 },
      { state: "emptied", deleted: 7 },
    );
    const reported: string[] = [];
    const outcome = await eraseAccount(ask, (progress) => reported.push(progress), 1);
    expect(outcome).toMatchObject({ result: { state: "emptied", filesLeft: "no" }, exitCode: 0 });
    expect(reported).toEqual([
      "10,240 deleted; left: 1 job, 12,000 uploads, 2 webhook endpoints, files",
      "50,000 deleted; left: 0 jobs, 0 uploads, files",
    ]);
  });

  it("names the customers, which the operator deletes at Stripe", async () => {
    const { ask } = worker({ state: "erased", customerIds: ["cus_1", "cus_2"] });
    expect(await eraseAccount(ask, nobody, 1)).toMatchObject({
      result: { customerIds: "cus_1, cus_2" },
      summary: expect.stringMatching(/^The account is erased\. The customers still exist at Stripe/),
    });
  });

  it("trusts no answer that is not a report", async () => {
    await expect(eraseAccount(async () => ({ state: "gone" }), nobody, 1)).rejects.toThrow("state");
  });
});
