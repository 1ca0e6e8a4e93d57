import { describe, expect, it } from "vitest";
import { laneOf } from "../../../src/jobs/rules/lane.ts";

describe("a job's lane", () => {
  it.each([
    ["paid", "single", "interactive"],
    ["paid", "batch", "bulk"],
    ["paid", "video", "bulk"],
    ["trial", "single", "trial"],
    ["trial", "batch", "trial"],
    ["trial", "video", "trial"],
  ] as const)(
    "keeps single pictures from waiting behind batches, and payers behind trials: %s, %s: %s",
    (mode, processing, lane) => {
      expect(laneOf(mode, processing)).toBe(lane);
    },
  );
});
