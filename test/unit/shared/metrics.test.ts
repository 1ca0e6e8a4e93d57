import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { log, observeLines } from "../../../src/shared/log.ts";
import { pointOf } from "../../../src/shared/metrics.ts";

describe("the data point of a line", () => {
  it("has the event as its index, the level and the labels as blobs, the values as doubles, in the table's order", () => {
    const fields = { lane: "bulk", jobId: "job_1", ms: 12.5, status: "failed" };
    expect(pointOf("info", "job_ended", fields)).toEqual({
      indexes: ["job_ended"],
      blobs: ["info", "bulk", "failed"],
      doubles: [12.5],
    });
  });

  it("has an empty label and a zero for the line's missing fields", () => {
    expect(
      pointOf("info", "request", { operation: "getAccount", status: 200, ms: 3, error: undefined }),
    ).toEqual({
      indexes: ["request"],
      blobs: ["info", "getAccount", "200", ""],
      doubles: [3],
    });
    expect(pointOf("info", "usage_reported", { due: 0, sent: 0, oldestSeconds: null })?.doubles).toEqual([
      0, 0, 0,
    ]);
  });

  it("is the event and its level alone for a warning or an error that is not measured", () => {
    for (const level of ["warn", "error"] as const) {
      const point = pointOf(level, "send_failed", { jobId: "job_1", reason: "x" });
      expect(point).toEqual({ indexes: ["send_failed"], blobs: [level], doubles: [] });
    }
  });

  it("is absent for other lines, with any name", () => {
    expect(pointOf("info", "task_progress", { done: 1 })).toBeNull();
    expect(pointOf("info", "toString", {})).toBeNull();
  });

  it("has labels of at most 96 characters", () => {
    const point = pointOf("info", "cron_ended", { cron: "x".repeat(1_000), ms: 1 });
    expect(point?.blobs).toEqual(["info", "x".repeat(96)]);
  });
});

describe("an observer of the lines", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("receives each line with its level, event and fields", () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const seen: unknown[] = [];
    const previous = observeLines((...line) => seen.push(line));
    onTestFinished(() => void observeLines(previous));
    log("warn", "asked", { reason: "x" });
    log("info", "job_started", { jobId: "job_1", lane: "trial", ms: 1 });
    expect(seen).toEqual([
      ["warn", "asked", { reason: "x" }],
      ["info", "job_started", { jobId: "job_1", lane: "trial", ms: 1 }],
    ]);
  });
});
