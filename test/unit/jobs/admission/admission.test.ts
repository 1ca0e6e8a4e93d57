import { describe, expect, it } from "vitest";
import { SINGLE_FILES } from "../../../support/a-job.ts";
import { accessRefusal, accountRefusal, requestRefusal } from "../../../../src/jobs/rules/admission.ts";
import type { ServiceError } from "../../../../src/shared/errors.ts";
import type { AccountUse } from "../../../../src/billing/rules/ledger.ts";
import {
  UNUSED,
  TERMS,
  request,
  proposed,
  codeOf,
  taskIds,
  type AccessMode,
  clip,
  NOW,
  accessTo,
} from "./proposed-jobs.ts";

const DAY = 86_400_000;

describe("a request by itself", () => {
  it("is refused if it lists a task twice", () => {
    const [task = ""] = taskIds(1, "png");
    expect(codeOf(requestRefusal(TERMS, request({ tasks: [task, task] })))).toBe("duplicate_task");
    expect(requestRefusal(TERMS, request({ tasks: taskIds(100, "png") }))).toBeNull();
  });

  it("is refused for one prompt too many, and learns how many are accepted", () => {
    expect(requestRefusal(TERMS, request({ prompts: ["a", "b", "c", "d"] }))).toBeNull();
    const refusal = requestRefusal(TERMS, request({ prompts: ["a", "b", "c", "d", "e"] }));
    expect(refusal).toMatchObject({
      code: "too_many_prompts",
      message: expect.stringContaining("more than 4 prompts"),
    });
  });

  it("is refused for a prompt with one character too many, if a character is a code point", () => {
    expect(requestRefusal(TERMS, request({ prompts: ["cat", "🐈".repeat(10)] }))).toBeNull();
    const refusal = requestRefusal(TERMS, request({ prompts: ["cat", "🐈".repeat(11)] }));
    expect(refusal).toMatchObject({
      code: "prompt_too_long",
      message: expect.stringContaining("10 characters"),
    });
  });
});

it("a request with only regions is not refused for its prompts", () => {
  const [taskId] = taskIds(1, "png");
  const asked = request({ prompts: undefined, regions: [{ taskId, box: [1, 2, 3, 4] }] });
  expect(requestRefusal({ ...TERMS, maxPrompts: 0 }, asked)).toBeNull();
});

describe("an account by its access", () => {
  it("is refused everything while it is blocked, and learns where to pay", () => {
    expect(accessRefusal(TERMS, accessTo("blocked"))).toMatchObject({
      code: "payment_required",
      hints: { upgradeUrl: "https://upgrade.test" },
    });
    expect(accessRefusal(TERMS, accessTo("paid"))).toBeNull();
    expect(accessRefusal(TERMS, accessTo("trial"))).toBeNull();
  });

  it("is refused a trial without a verified e-mail address, and learns where to upgrade", () => {
    expect(accessRefusal(TERMS, accessTo("trial", false))).toMatchObject({
      code: "email_unverified",
      status: 402,
      hints: { upgradeUrl: "https://upgrade.test" },
    });
    expect(accessRefusal(TERMS, accessTo("paid", false))).toBeNull();
    expect(accessRefusal(TERMS, accessTo("blocked", false))?.code).toBe("payment_required");
  });

  it("may have jobs in progress up to its limit, and no more", () => {
    const use = (activeJobs: number): AccountUse => ({ ...UNUSED, activeJobs, activeJobId: "job_0" });
    expect(accountRefusal(TERMS, proposed("paid", request()), use(4))).toBeNull();
    expect(accountRefusal(TERMS, proposed("paid", request()), use(5))).toMatchObject({
      code: "too_many_active_jobs",
      hints: {},
    });
  });

  it("of a trial learns which job is in progress", () => {
    const use: AccountUse = { ...UNUSED, activeJobs: 1, activeJobId: "job_0" };
    expect(accountRefusal(TERMS, proposed("trial", request()), use)).toMatchObject({
      code: "active_job_exists",
      hints: { activeJobId: "job_0" },
    });
    expect(accountRefusal(TERMS, proposed("trial", request()), { ...use, activeJobId: null })?.hints).toEqual(
      {},
    );
  });

  it("that pays skips the trial's rules: videos, batches and used tokens do not matter", () => {
    const spent: AccountUse = { ...UNUSED, trial: { usedTokens: 100, startedAt: NOW - 100 * DAY } };
    expect(accountRefusal(TERMS, proposed("paid", clip(), 3_600), spent)).toBeNull();
    expect(
      accountRefusal(TERMS, proposed("paid", request({ tasks: taskIds(100, "png") })), spent),
    ).toBeNull();
  });
});

describe("an account's day", () => {
  const HOUR = 3_600_000;
  /** The refusal of a job with this many units, ten hours into the day, with this many of 5,000 used. */
  const refusal = (units: number, used: number, day = NOW / DAY): ServiceError | null => {
    const { job, access } = proposed("paid", clip());
    const asked = { job: { ...job, createdAt: NOW + 10 * HOUR }, access, units };
    return accountRefusal(TERMS, asked, { ...UNUSED, daily: { day, units: used, tasks: 0, files: 0 } });
  };

  it("has room for a job up to its last unit, and not for one unit more; learns when the next begins", () => {
    expect(refusal(100, 4_900)).toBeNull();
    expect(refusal(101, 4_900)).toMatchObject({
      code: "daily_limit_reached",
      status: 402,
      message: expect.stringContaining(
        "Units that the job may use: 101. The account's limit per day (UTC) is 5000; left until 00:00 UTC: 100.",
      ),
      hints: { retryAfterSeconds: 14 * 3_600 },
    });
    expect(refusal(1, 5_000)?.message).toContain("left until 00:00 UTC: 0.");
    expect(refusal(5_000, 1)?.hints).toHaveProperty("retryAfterSeconds");
  });

  it("begins again at midnight of UTC", () => {
    expect(refusal(5_000, 5_000, NOW / DAY - 1)).toBeNull();
    expect(refusal(1, 5_000, NOW / DAY + 1)?.code).toBe("daily_limit_reached");
  });

  it("refuses a job of more units than a day allows, without a time to retry", () => {
    expect(refusal(5_000, 0)).toBeNull();
    expect(refusal(5_001, 0)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining("fewer pictures or frames"),
      hints: {},
    });
  });

  it("is over if the limit was lowered below the used units", () => {
    expect(refusal(1, 6_000)?.message).toContain("left until 00:00 UTC: 0.");
  });

  it("has room for as many tasks as its limit, and says when the next one may begin", () => {
    const ofTasks = (mode: AccessMode, count: number, used: number, day = NOW / DAY) =>
      accountRefusal(TERMS, proposed(mode, request({ tasks: taskIds(count, "png") })), {
        ...UNUSED,
        daily: { day, units: 0, tasks: used, files: 0 },
      });
    expect(ofTasks("trial", 3, 17)).toBeNull();
    expect(ofTasks("trial", 3, 18)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining(
        "Tasks of the job: 3. The account's limit per day (UTC), failed ones included, is 20; left until 00:00 UTC: 2.",
      ),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(ofTasks("trial", 3, 20, NOW / DAY - 1)).toBeNull();
    expect(ofTasks("paid", 100, 9_900)).toBeNull();
    expect(ofTasks("paid", 100, 9_901)?.code).toBe("daily_limit_reached");
  });

  it("refuses a job of more tasks than a day allows, without a time to retry", () => {
    const { job, access, units } = proposed("trial", request({ tasks: taskIds(3, "png") }));
    const most = (maxTasksPerDay: number) =>
      accountRefusal(TERMS, { job, access: { ...access, maxTasksPerDay }, units }, UNUSED);
    expect(most(3)).toBeNull();
    expect(most(2)).toMatchObject({ code: "daily_limit_reached", hints: {} });
  });

  it("allows as many files as its limit; a refusal says what needs fewer, and when the next day begins", () => {
    // Each picture with one prompt may have 200 masks.
    const files = 2 * (200 + SINGLE_FILES);
    const asked = proposed("paid", request({ tasks: taskIds(2, "png") }));
    const withFiles = (used: number, { maxFilesPerDay } = asked.access) =>
      accountRefusal(
        TERMS,
        { ...asked, access: { ...asked.access, maxFilesPerDay } },
        { ...UNUSED, daily: { day: NOW / DAY, units: 0, tasks: 0, files: used } },
      );
    const most = asked.access.maxFilesPerDay;
    expect(withFiles(most - files)).toBeNull();
    expect(withFiles(most - files + 1)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringMatching(
        `^Files that the job may write: ${files}; fewer prompts and formats need fewer. .* is ${most}, .*; left until 00:00 UTC: ${files - 1}.`,
      ),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(withFiles(0, { ...asked.access, maxFilesPerDay: files - 1 })).toMatchObject({
      code: "daily_limit_reached",
      hints: {},
    });
  });

  it("is checked before the jobs in progress, and not for a trial", () => {
    const use = { ...UNUSED, activeJobs: 5, daily: { day: NOW / DAY, units: 5_000, tasks: 0, files: 0 } };
    expect(codeOf(accountRefusal(TERMS, proposed("paid", request()), use))).toBe("daily_limit_reached");
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), { ...use, activeJobs: 0 }))).toBeNull();
  });
});

describe("a subscriber's credit", () => {
  /** The refusal of a job with this many units, with this many used or reserved, 250 of them paid for, and a credit of 1,250. */
  const refusal = (units: number, meteredUnits: number): ServiceError | null => {
    const asked = proposed("paid", request(), units);
    const access = { ...asked.access, credit: { firstUnits: 1_000, paidUnits: 250 } };
    return accountRefusal(TERMS, { ...asked, access }, { ...UNUSED, meteredUnits });
  };

  it("covers a job up to its last unit; a refusal says how much is left and where to pay", () => {
    expect(refusal(100, 1_400)).toBeNull();
    expect(refusal(101, 1_400)).toMatchObject({
      code: "payment_required",
      message: expect.stringMatching(
        "^Units that the job may use: 101. .* may have used 1250 units that are not paid yet; left: 100.",
      ),
      hints: { upgradeUrl: "https://upgrade.test" },
    });
  });

  it("has nothing left, never less than nothing, when lowered below the used units", () => {
    expect(refusal(1, 1_600)?.message).toContain("left: 0.");
  });
});
