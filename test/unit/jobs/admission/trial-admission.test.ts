import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accountRefusal,
  laneHasRoom,
  trialQueueFull,
  type ProposedJob,
} from "../../../../src/jobs/rules/admission.ts";
import type { AccountUse } from "../../../../src/billing/rules/ledger.ts";
import { TERMS, taskIds, request, proposed, NOW, codeOf, UNUSED, clip } from "./proposed-jobs.ts";

const DAY = 86_400_000;

describe("a trial account", () => {
  it("is refused a video, with its remaining units and the video's", () => {
    expect(accountRefusal(TERMS, proposed("trial", clip(), 7), UNUSED)).toMatchObject({
      code: "trial_video_unsupported",
      status: 402,
      hints: { remainingTokens: 100, requestedTokens: 7, upgradeUrl: "https://upgrade.test" },
    });
  });

  it("is refused a fourth picture", () => {
    expect(
      accountRefusal(TERMS, proposed("trial", request({ tasks: taskIds(3, "png") })), UNUSED),
    ).toBeNull();
    const four = proposed("trial", request({ tasks: taskIds(4, "png") }));
    expect(codeOf(accountRefusal(TERMS, four, UNUSED))).toBe("trial_limit_exceeded");
  });

  it("is refused what its tokens or its time do not cover, and learns until when they last", () => {
    const trial = { usedTokens: 98, startedAt: NOW - 13 * DAY };
    const three = proposed("trial", request({ tasks: taskIds(3, "png") }));
    expect(accountRefusal(TERMS, three, { ...UNUSED, trial })).toMatchObject({
      code: "trial_insufficient",
      hints: { remainingTokens: 2, requestedTokens: 3, expiresAt: new Date(NOW + DAY).toISOString() },
    });
    const spent = { ...UNUSED, trial: { ...trial, usedTokens: 100 } };
    expect(codeOf(accountRefusal(TERMS, three, spent))).toBe("trial_exhausted");
    const over = { ...UNUSED, trial: { ...trial, startedAt: NOW - 14 * DAY } };
    expect(codeOf(accountRefusal(TERMS, three, over))).toBe("trial_expired");
  });

  it("that has not begun has no end", () => {
    expect(accountRefusal(TERMS, proposed("trial", clip()), UNUSED)?.hints).not.toHaveProperty("expiresAt");
  });

  it("is refused first for its request, then for its remaining units, then for its job in progress", () => {
    const use: AccountUse = {
      ...UNUSED,
      activeJobs: 1,
      activeJobId: "job_0",
      trial: { usedTokens: 100, startedAt: NOW },
    };
    expect(codeOf(accountRefusal(TERMS, proposed("trial", clip()), use))).toBe("trial_video_unsupported");
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), use))).toBe("trial_exhausted");
    const funded = { ...use, trial: { usedTokens: 0, startedAt: NOW } };
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), funded))).toBe("active_job_exists");
  });
});

describe("the trial lane", () => {
  const pictures = (count: number): ProposedJob =>
    proposed("trial", request({ tasks: taskIds(count, "png") }));
  const wait = (openTasks: number, endedTasks: number, busyMs: number, count = 1): number | undefined =>
    trialQueueFull(TERMS, pictures(count), openTasks, { endedTasks, busyMs }).hints.retryAfterSeconds;

  it("has room for a job up to the limit of open tasks, and not for one task more", () => {
    expect(laneHasRoom(TERMS, pictures(3), 197)).toBe(true);
    expect(laneHasRoom(TERMS, pictures(3), 198)).toBe(false);
    expect(laneHasRoom(TERMS, pictures(1), 200)).toBe(false);
  });

  it("has room for any job while it is empty, so a job of more tasks than the limit eventually gets in", () => {
    const terms = { ...TERMS, maxTrialBacklog: 2 };
    expect(laneHasRoom(terms, pictures(3), 0)).toBe(true);
    expect(laneHasRoom(terms, pictures(3), 1)).toBe(false);
  });

  it("asks nothing of the jobs of other lanes", () => {
    expect(laneHasRoom(TERMS, proposed("paid", request({ tasks: taskIds(100, "png") })), 5_000)).toBe(true);
  });

  it("that is full asks for a retry once enough of its tasks will have ended, at its pace", () => {
    // Sixty tasks in two minutes: two seconds for each.
    expect(wait(200, 60, 120_000)).toBe(2);
    expect(wait(200, 60, 120_000, 3)).toBe(6);
    expect(wait(230, 60, 120_000)).toBe(62);
    expect(wait(200, 7, 10_000)).toBe(2);
    const terms = { ...TERMS, maxTrialBacklog: 2 };
    const pace = { endedTasks: 1, busyMs: 5_000 };
    expect(trialQueueFull(terms, pictures(3), 1, pace).hints.retryAfterSeconds).toBe(5);
    expect(trialQueueFull(TERMS, pictures(1), 200, pace)).toMatchObject({
      code: "trial_queue_full",
      status: 503,
      hints: { upgradeUrl: "https://upgrade.test" },
    });
  });

  it("that has ended no task yet asks for the same wait again", () => {
    expect(wait(200, 0, 7_000)).toBe(7);
    expect(wait(201, 0, 7_000)).toBe(14);
  });

  it("asks for a wait of 1 to 600 whole seconds, and for no shorter one because more tasks are open", () => {
    expect(wait(200, 1, 0)).toBe(1);
    expect(wait(200, 300, 1_000)).toBe(1);
    expect(wait(5_000, 1, 300_000)).toBe(600);
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(1_000), fc.nat(300_000), (openTasks, ended, busyMs) => {
        const seconds = wait(openTasks, ended, busyMs) ?? 0;
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(600);
        expect(wait(openTasks + 1, ended, busyMs)).toBeGreaterThanOrEqual(seconds);
      }),
    );
  });
});
