import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_POLICY,
  givesUpAt,
  refusalDelay,
  putOffSeconds,
  resendDelay,
  sendRetryDelay,
  retryDelay,
} from "../../../src/jobs/rules/policy.ts";
import { BEGIN, DAY, SECOND } from "../../support/a-job.ts";

const seconds = (times: readonly number[]) => times.map((ms) => ms / SECOND);

describe("the job protocol, unless an operator sets other numbers,", () => {
  it("tries a task three times, six of a job at once, with leases of a minute", () => {
    expect(DEFAULT_POLICY).toMatchObject({ maxAttempts: 3, window: 6, leaseMs: 60_000 });
  });

  it("sends a message again after an hour, and forgets a job that was not accepted within half a minute", () => {
    expect(DEFAULT_POLICY).toMatchObject({ resendMs: 3_600_000, prepareMs: 30_000 });
  });

  it("lets a message's builder work four minutes on an archive, on 20,000 files at most, and save its progress every 15 seconds", () => {
    expect(DEFAULT_POLICY).toMatchObject({
      archiveSliceMs: 240_000,
      archiveSliceFiles: 20_000,
      archiveKeepMs: 15_000,
    });
  });

  it("keeps an archive for 24 hours and a job for 30 days", () => {
    expect(DEFAULT_POLICY).toMatchObject({ archiveTtlMs: 24 * 3_600_000, retentionMs: 30 * 86_400_000 });
  });
});

describe("a retry", () => {
  it("waits 2 seconds after the first failed attempt, twice as long after each further, a minute at most", () => {
    expect(seconds([1, 2, 3, 4, 5, 6, 7].map(retryDelay))).toEqual([2, 4, 8, 16, 32, 60, 60]);
  });

  it("waits a second after a refusal, twice as long after each further one, half a minute at most", () => {
    expect(seconds([0, 1, 2, 3, 4, 5, 6].map((refusals) => refusalDelay(refusals, 0, 0)))).toEqual([
      1, 2, 4, 8, 16, 30, 30,
    ]);
  });

  it("waits longer on request", () => {
    expect(seconds([2_000, 45_000].map((asked) => refusalDelay(3, asked, 0)))).toEqual([8, 45]);
  });

  it("waits up to half as long again after a refusal, at random, also at the longest delay", () => {
    expect(seconds([0, 0.5, 1].map((random) => refusalDelay(9, 0, random)))).toEqual([30, 37.5, 45]);
    expect(refusalDelay(0, 2_001, 0.5)).toBe(2_501);
  });

  it("is believed lost in the queue after the policy's time, twice that with each further message, six hours at most", () => {
    const delays = [0, 1, 2, 3, 4].map((sends) => resendDelay(DEFAULT_POLICY, sends));
    expect(seconds(delays)).toEqual([3_600, 7_200, 14_400, 21_600, 21_600]);
    expect(resendDelay({ ...DEFAULT_POLICY, resendMs: 50 }, 1)).toBe(100);
  });

  it("is put off for a tenth of the time that it has waited, 2 seconds at least and 10 minutes at most, and up to half as long again", () => {
    const waits = [0, 10, 60, 600, 3_000, 86_400].map((waited) => waited * SECOND);
    expect(waits.map((waited) => putOffSeconds(waited, 0))).toEqual([2, 2, 6, 60, 300, 600]);
    expect(waits.map((waited) => putOffSeconds(waited, 0.999))).toEqual([3, 3, 9, 90, 450, 900]);
  });

  it("comes back 5 seconds after its queue did not take it, then ever later, and up to half as long again by chance", () => {
    expect(seconds([0, 1, 6, 7, 1_000].map((tries) => sendRetryDelay(tries, 0)))).toEqual([
      5, 10, 320, 600, 600,
    ]);
    expect(seconds([0, 7].map((tries) => sendRetryDelay(tries, 1)))).toEqual([7.5, 900]);
  });

  it("waits a finite time after any number of tries", () => {
    fc.assert(
      fc.property(fc.nat(), (tries) => {
        expect(refusalDelay(tries, 0, 0)).toBeLessThanOrEqual(30 * SECOND);
        expect(resendDelay({ ...DEFAULT_POLICY, resendMs: 0 }, tries)).toBe(0);
      }),
    );
  });
});

describe("an unheld task is given up", () => {
  it("a day after the job's acceptance, its standstill, or its last attempt, the latest of them", () => {
    const definition = { createdAt: BEGIN };
    const standstill = { since: BEGIN + 3 * DAY, refused: false };
    const late = { failedAt: BEGIN + 5 * DAY };
    expect(givesUpAt({}, { definition }, DEFAULT_POLICY)).toBe(BEGIN + DAY);
    expect(givesUpAt({}, { definition, standstill }, DEFAULT_POLICY)).toBe(BEGIN + 4 * DAY);
    expect(givesUpAt(late, { definition, standstill }, DEFAULT_POLICY)).toBe(BEGIN + 6 * DAY);
    expect(givesUpAt({ failedAt: BEGIN + DAY }, { definition, standstill }, DEFAULT_POLICY)).toBe(
      BEGIN + 4 * DAY,
    );
  });
});
