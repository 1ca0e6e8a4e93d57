import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { relativeTime, timeLeft } from "../../../src/text/format.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const at = (ms: number): string => relativeTime(new Date(NOW + ms).toISOString(), NOW);

describe("a time as the studio shows it", () => {
  it.each([
    [0, "just now"],
    [-59 * SECOND, "just now"],
    [2 * SECOND, "just now"],
    [5 * SECOND, "in a moment"],
    [-60 * SECOND, "1 minute ago"],
    [-59 * 60 * SECOND, "59 minutes ago"],
    [2 * 3_600 * SECOND, "in 2 hours"],
    [-DAY, "yesterday"],
    [DAY, "tomorrow"],
    [DAY - SECOND, "tomorrow"],
    [3_600 * SECOND - 1, "in 1 hour"],
    [7 * DAY - SECOND, "in 7 days"],
    [-6 * DAY, "6 days ago"],
    [-7 * DAY, "15 Nov 2026"],
  ])("is, %d ms away, %s", (ms, text) => {
    expect(at(ms)).toBe(text);
  });

  it.each([
    [0.05, 60, ""],
    [0.5, 20, ", less than a minute left"],
    [0.25, 60, ", about 3 minutes left"],
    [1, 60, ""],
  ])("is, of a job of which %d is done after %d seconds, %j", (share, seconds, text) => {
    expect(timeLeft(share, seconds * SECOND)).toBe(text);
  });

  it("never confuses past and future", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 * DAY - 1 }), (ms) => {
        expect(at(-ms)).not.toMatch(/^in |^tomorrow$/);
        expect(at(ms)).not.toMatch(/ ago$|^yesterday$/);
      }),
    );
  });
});
