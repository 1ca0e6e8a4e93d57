import { describe, expect, it } from "vitest";
import { meteringWindow } from "../../../../src/core/billing/metering.ts";

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
