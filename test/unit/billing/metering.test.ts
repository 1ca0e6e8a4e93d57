import { describe, expect, it } from "vitest";
import {
  LAG_ALARM_MS,
  meteringWindow,
  RESENT_WITHIN_MS,
  SENT_WITHIN_MS,
} from "../../../src/billing/rules/metering.ts";

const at = (text: string): number => Date.parse(text);
const TEN = at("2026-11-22T10:00:00.000Z");

describe("the window of metered use", () => {
  it.each([
    ["2026-11-22T10:00:00.000Z", "2026-11-22T10:00:00.000Z"],
    ["2026-11-22T10:59:59.999Z", "2026-11-22T10:59:59.999Z"],
    ["2026-11-22T10:59:59.999Z", "2026-11-22T11:29:59.998Z"],
    ["2026-11-22T10:00:01.000Z", "2026-11-22T10:00:00.000Z"],
  ])("is the hour in which the job ended: %s, written %s", (endedAt, writtenAt) => {
    expect(meteringWindow(at(endedAt), at(writtenAt))).toEqual({
      usedAt: at(endedAt),
      from: TEN,
      name: "2026-11-22T10",
    });
  });

  it.each(["2026-11-22T09:30:00.000Z", "2026-11-01T09:59:59.999Z"])(
    "is the hour in which it is written, half an hour after the end and later: %s",
    (endedAt) => {
      expect(meteringWindow(at(endedAt), TEN)).toEqual({ usedAt: TEN, from: TEN, name: "2026-11-22T10" });
    },
  );
});

it.each([
  ["an event is sent again for most of the day for which Stripe remembers it", RESENT_WITHIN_MS, 24],
  ["use is sent for most of the 35 days that Stripe accepts", SENT_WITHIN_MS, 35 * 24],
  ["who operates the service hears of waiting use with time left before the invoice", LAG_ALARM_MS, 1],
])("%s", (_, ms, hours) => {
  expect(ms).toBeLessThan(hours * 3_600_000);
  expect(ms).toBeGreaterThanOrEqual((hours * 3_600_000) / 2);
});
