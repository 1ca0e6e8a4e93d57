import { afterEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "../../../src/core/errors.ts";
import { log, reasonOf, LogThrottle } from "../../../src/core/log.ts";

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

  it.each([
    [
      "Error: Invalid email address: ada.lovelace@example.com",
      "Error: Invalid email address: (e-mail address)",
    ],
    ['to <ada+x@mail.example.co.uk>, and "b_c"@d', 'to <(e-mail address)>, and "b_c"@d'],
    ["ada@localhost", "(e-mail address)"],
    ["mailto:ädä@example.com?subject=x", "mailto:(e-mail address)"],
    [`${"a".repeat(64)}@${"b".repeat(189)}`, "(e-mail address)"],
    ["a\nb@c.d\te@f.g", "a\n(e-mail address)\t(e-mail address)"],
    ["10 @ 20, @segmentation/protocol, a@", "10 @ 20, @segmentation/protocol, a@"],
  ])("never has an e-mail address, whoever quoted it: %j", (reason, written) => {
    const write = vi.spyOn(console, "log").mockImplementation(() => {});
    log("warn", "asked", { reason, more: [{ reason }] });
    expect(JSON.parse(String(write.mock.calls[0]?.[0]))).toMatchObject({
      event: "asked",
      reason: written,
      more: [{ reason: written }],
    });
  });

  it("shows an error by its name and message, and anything else that was thrown as a text", () => {
    expect(reasonOf(new TypeError("no such method"))).toBe("TypeError: no such method");
    expect(reasonOf(new ServiceError("not_found", "Nothing."))).toBe("ServiceError: Nothing.");
    expect(reasonOf("stopped")).toBe("stopped");
    expect(reasonOf(undefined)).toBe("undefined");
  });
});

const EVERY = 60_000;
const HOUR = 3_600_000;

describe("a throttled line of the log", () => {
  it("is due at once, then once an interval, with how many there were since the last one", () => {
    const throttle = new LogThrottle(EVERY);
    expect(throttle.count("a", 0)).toBe(1);
    expect(throttle.count("a", 1)).toBe(0);
    expect(throttle.count("a", EVERY - 1)).toBe(0);
    expect(throttle.count("a", EVERY)).toBe(3);
    expect(throttle.count("a", EVERY + 1)).toBe(0);
    expect(throttle.count("a", 3 * EVERY)).toBe(2);
    expect(throttle.count("a", 9 * EVERY)).toBe(1);
  });

  it("is each key's own", () => {
    const throttle = new LogThrottle(EVERY);
    expect([throttle.count("a", 0), throttle.count("b", 0), throttle.count("a", 1)]).toEqual([1, 1, 0]);
  });

  it("counts what came within the last hour, and forgets what is older", () => {
    const throttle = new LogThrottle(EVERY);
    throttle.count("a", 0);
    throttle.count("a", 1);
    expect(throttle.count("a", HOUR - 1)).toBe(2);
    throttle.count("b", 0);
    throttle.count("b", 1);
    expect(throttle.count("b", HOUR)).toBe(1);
  });

  it("keeps no more than ten thousand keys: the one whose line is the oldest is due again", () => {
    const throttle = new LogThrottle(EVERY);
    for (let i = 0; i <= 10_000; i += 1) throttle.count(`key ${i}`, i);
    expect(throttle.count("key 1", 10_001)).toBe(0);
    expect(throttle.count("key 0", 10_001)).toBe(1);
  });
});
