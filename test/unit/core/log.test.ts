import { afterEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "../../../src/core/errors.ts";
import { log, reasonOf } from "../../../src/core/log.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the log", () => {
  it.each(["info", "warn", "error"] as const)(
    "is one line of JSON for each event, with its time, level and name, then its fields: %s",
    (level) => {
      vi.useFakeTimers({ now: Date.parse("2026-01-02T03:04:05.678Z"), toFake: ["Date"] });
      const write = vi.spyOn(console, "log").mockImplementation(() => {});
      log(level, "job_created", { jobId: "job_1", units: 3 });
      expect(write.mock.calls).toEqual([
        [
          `{"time":"2026-01-02T03:04:05.678Z","level":"${level}","event":"job_created","jobId":"job_1","units":3}`,
        ],
      ]);
    },
  );

  it("tells an error by its name and message, and anything else that was thrown as a text", () => {
    expect(reasonOf(new TypeError("no such method"))).toBe("TypeError: no such method");
    expect(reasonOf(new ServiceError("not_found", "Nothing."))).toBe("ServiceError: Nothing.");
    expect(reasonOf("stopped")).toBe("stopped");
    expect(reasonOf(undefined)).toBe("undefined");
  });
});
