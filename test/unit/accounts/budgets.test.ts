import { describe, expect, it } from "vitest";
import {
  apiKeyRefusal,
  KEPT_PER_LIVE,
  presignRefusal,
  uploadBudgetOf,
  type UploadBudgets,
} from "../../../src/accounts/rules/budgets.ts";

const BUDGETS: UploadBudgets = {
  trial: { maxUnused: 3, maxDailyBytes: 1_000 },
  paid: { maxUnused: 30, maxDailyBytes: 10_000 },
};

describe("a budget of uploads", () => {
  it("is the paid budget only for paying accounts", () => {
    expect(uploadBudgetOf(BUDGETS, "paid")).toBe(BUDGETS.paid);
    expect(uploadBudgetOf(BUDGETS, "trial")).toBe(BUDGETS.trial);
    expect(uploadBudgetOf(BUDGETS, "blocked")).toBe(BUDGETS.trial);
  });

  const HOUR = 3_600_000;
  /** At a quarter past hour 100. */
  const NOW = 100.25 * HOUR;
  const uploaded = (...bytes: readonly [hour: number, bytes: number][]) => ({
    unused: 2,
    hours: bytes.map(([hour, count]) => ({ hour, bytes: count, deleted: 0 })),
  });
  const deleted = (...hours: readonly [hour: number, deleted: number][]) => ({
    unused: 0,
    hours: hours.map(([hour, count]) => ({ hour, bytes: 0, deleted: count })),
  });

  it("lets one more in up to its last unused upload and its last byte", () => {
    expect(presignRefusal(BUDGETS.trial, { unused: 0, hours: [] }, NOW)).toBeNull();
    expect(presignRefusal(BUDGETS.trial, uploaded([90, 900], [91, 99]), NOW)).toBeNull();
  });

  it("refuses one upload too many, and says that only jobs use them up, not time", () => {
    const refusal = presignRefusal(BUDGETS.trial, { unused: 3, hours: [] }, NOW);
    expect(refusal).toMatchObject({
      code: "too_many_uploads",
      status: 409,
      message: expect.stringMatching(/^Uploads .* no job has used: 3\. Create jobs from them/),
      hints: {},
    });
    expect(refusal?.hints.retryAfterSeconds).toBeUndefined();
  });

  it("refuses an account that has uploaded its bytes, and says how many they were", () => {
    expect(presignRefusal(BUDGETS.trial, uploaded([100, 1_000]), NOW)).toMatchObject({
      code: "too_many_uploads",
      message:
        "The account has uploaded more than 1000 bytes within a day. Try again after the number of seconds in Retry-After.",
    });
  });

  it("takes a file of a known size up to the day's last byte, and any on a day without another", () => {
    const refusal = (bytes: number, size: number) =>
      presignRefusal(BUDGETS.trial, uploaded([90, bytes]), NOW, size);
    expect(refusal(400, 600)).toBeNull();
    expect(refusal(400, 601)).toMatchObject({
      message: expect.stringMatching(/^With this file, the account would have uploaded more than 1000 bytes/),
      hints: { retryAfterSeconds: 14.75 * 3_600 },
    });
    expect(refusal(1_000, 0), "an empty file, after the last byte").not.toBeNull();
    expect(presignRefusal(BUDGETS.trial, { unused: 0, hours: [] }, NOW, 5_000)).toBeNull();
  });

  it.each<[string, readonly [number, number][], number]>([
    ["of this hour, a day after it", [[100, 1_000]], 24.75],
    ["of the day's first hour, at the end of this one", [[76, 1_000]], 0.75],
    [
      "of several hours, when as many of them are over as it takes",
      [
        [90, 500],
        [80, 500],
        [95, 500],
      ],
      14.75,
    ],
    [
      "of one hour that is enough, though smaller ones came before",
      [
        [80, 1],
        [90, 1_000],
      ],
      14.75,
    ],
    [
      "of hours of which the first is enough",
      [
        [80, 1],
        [90, 999],
      ],
      4.75,
    ],
  ])("says when the bytes %s, are no longer counted", (_, bytes, hours) => {
    const { hints } = presignRefusal(BUDGETS.trial, uploaded(...bytes), NOW) ?? {};
    expect(hints).toEqual({ retryAfterSeconds: hours * 3_600 });
  });

  it("refuses an account that has deleted ten times as many within a day as may be unused, and says until when", () => {
    const most = 3 * KEPT_PER_LIVE;
    expect(presignRefusal(BUDGETS.trial, deleted([90, most - 10], [91, 9]), NOW)).toBeNull();
    expect(presignRefusal(BUDGETS.trial, deleted([90, most - 10], [91, 10]), NOW)).toMatchObject({
      code: "too_many_uploads",
      message: `The account has deleted ${most} uploads within a day. Try again after the number of seconds in Retry-After.`,
      hints: { retryAfterSeconds: 14.75 * 3_600 },
    });
  });

  it("never asks for a retry within a second", () => {
    const { hints } = presignRefusal(BUDGETS.trial, uploaded([76, 1_000]), 101 * HOUR) ?? {};
    expect(hints).toEqual({ retryAfterSeconds: 1 });
  });
});

describe("a budget of API keys", () => {
  it("lets one more in up to its last live key", () => {
    expect(apiKeyRefusal(5, { live: 0, kept: 0 })).toBeNull();
    expect(apiKeyRefusal(5, { live: 4, kept: 5 * KEPT_PER_LIVE - 1 })).toBeNull();
  });

  it("refuses one live key too many, and says that one may be revoked", () => {
    expect(apiKeyRefusal(5, { live: 5, kept: 5 })).toMatchObject({
      code: "too_many_keys",
      status: 409,
      message: expect.stringContaining("Revoke one"),
    });
  });

  it("refuses an account that has made and revoked too many, and says how many are on record", () => {
    const kept = 5 * KEPT_PER_LIVE;
    expect(apiKeyRefusal(5, { live: 1, kept })).toMatchObject({
      code: "too_many_keys",
      message: expect.stringContaining(`${kept} API keys, including revoked ones`),
    });
  });
});
