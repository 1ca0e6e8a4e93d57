import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/jobs/rules/policy.ts";
import {
  expiredPresign,
  reusableMs,
  UNUSED_KEPT_MS,
  USABLE_MS,
  usedKeptMs,
  nextInspection,
  UPLOAD_SECONDS,
} from "../../../src/uploads/rules/lifetime.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("an upload that no job has used", () => {
  it("may be named for a day, and is deleted an hour later", () => {
    expect([USABLE_MS, UNUSED_KEPT_MS]).toEqual([DAY, 25 * HOUR]);
  });
});

describe("an upload that a job has used", () => {
  it.each([
    // Three attempts, each after a wait of a day, and a day for the attempts themselves.
    [30, 26, 30],
    [6, 2, 6],
    [5, 1, 5],
    // A job of the upload's first day is purged after its retention.
    [4, 1, 5],
    [1, 1, 2],
  ])("with a retention of %i days may be named for %i, and is deleted after %i", (days, named, kept) => {
    const policy = { ...DEFAULT_POLICY, retentionMs: days * DAY };
    expect(reusableMs(policy)).toBe(named * DAY);
    expect(usedKeptMs(policy)).toBe(kept * DAY);
  });

  it("follows the number of attempts and how long a task may wait", () => {
    const policy = { ...DEFAULT_POLICY, maxAttempts: 1, giveUpMs: 6 * HOUR };
    expect(usedKeptMs(policy) - reusableMs(policy)).toBe(12 * HOUR);
  });
});

const PRESIGNED = 1_800_000_000_000;

it("an upload is checked a minute after its URL has expired, then a day after its presign, then no more", () => {
  const first = PRESIGNED + (UPLOAD_SECONDS + 60) * 1_000;
  expect(nextInspection(PRESIGNED, PRESIGNED)).toBe(first);
  expect(expiredPresign(first)).toBe(PRESIGNED);
  expect(nextInspection(PRESIGNED, first - 1)).toBe(first);
  expect(nextInspection(PRESIGNED, first)).toBe(PRESIGNED + DAY);
  expect(nextInspection(PRESIGNED, PRESIGNED + DAY - 1)).toBe(PRESIGNED + DAY);
  expect(nextInspection(PRESIGNED, PRESIGNED + DAY)).toBeNull();
});
