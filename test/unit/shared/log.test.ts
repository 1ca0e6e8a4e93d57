import { afterEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "../../../src/shared/errors.ts";
import {
  log,
  observeLines,
  reasonOf,
  LogThrottle,
  sampleInfo,
  type Fields,
} from "../../../src/shared/log.ts";

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
  ])("never contains an e-mail address, even in a quoted error: %j", (reason, written) => {
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

describe("a sampled log", () => {
  /** Returns the written ones of these lines, one in `oneIn`. */
  function written(oneIn: number, level: "info" | "warn" | "error", lines: readonly Fields[]): object[] {
    const before = sampleInfo(oneIn);
    const write = vi.spyOn(console, "log").mockImplementation(() => {});
    for (const fields of lines) log(level, "something", fields);
    sampleInfo(before);
    return write.mock.calls.map(([line]) => JSON.parse(String(line)));
  }
  const ids = Array.from({ length: 2_000 }, (_, i) => `job_0198f3c2-${i}`);

  it("has all lines of a job or none, for one job of so many, with each line's weight", () => {
    const lines = written(
      10,
      "info",
      ids.flatMap((jobId, i) => [
        { jobId, taskId: `task_${i}` },
        { requestId: `request_${i}`, jobId },
      ]),
    );
    const jobs = Map.groupBy(lines, (line) => ("jobId" in line ? line.jobId : undefined));
    expect([...jobs.values()].every(({ length }) => length === 2)).toBe(true);
    expect(jobs.size).toBeGreaterThan(150);
    expect(jobs.size).toBeLessThan(250);
    expect(lines.every((line) => "weight" in line && line.weight === 10)).toBe(true);
  });

  it.each(["requestId", "messageId", "eventId"])(
    "has one of so many lines by %s if there is no job",
    (name) => {
      const { length } = written(
        10,
        "info",
        ids.map((id) => ({ [name]: id, endpointId: "whe_1" })),
      );
      expect(length).toBeGreaterThan(150);
      expect(length).toBeLessThan(250);
    },
  );

  it.each(["warn", "error"] as const)("has each line at %s", (level) => {
    expect(
      written(
        1_000_000,
        level,
        ids.map((jobId) => ({ jobId })),
      ),
    ).toHaveLength(ids.length);
  });

  it("has each line that is about no job, request or delivery", () => {
    const lines = written(1_000_000, "info", [
      { account: "acc_1" },
      { lane: "bulk" },
      { endpointId: "whe_1" },
      { eventId: "evt_1" },
    ]);
    expect(lines).toHaveLength(4);
    expect(lines.some((line) => "weight" in line)).toBe(false);
  });

  it("is observed as a whole", () => {
    let observed = 0;
    const before = observeLines(() => {
      observed += 1;
    });
    const { length } = written(
      1_000_000,
      "info",
      ids.map((jobId) => ({ jobId })),
    );
    observeLines(before);
    expect({ written: length, observed }).toEqual({ written: 0, observed: ids.length });
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

  it("counts the last hour, and forgets older entries", () => {
    const throttle = new LogThrottle(EVERY);
    throttle.count("a", 0);
    throttle.count("a", 1);
    expect(throttle.count("a", HOUR - 1)).toBe(2);
    throttle.count("b", 0);
    throttle.count("b", 1);
    expect(throttle.count("b", HOUR)).toBe(1);
  });

  it("keeps at most ten thousand keys: the key with the oldest line is due again", () => {
    const throttle = new LogThrottle(EVERY);
    for (let i = 0; i <= 10_000; i += 1) throttle.count(`key ${i}`, i);
    expect(throttle.count("key 1", 10_001)).toBe(0);
    expect(throttle.count("key 0", 10_001)).toBe(1);
  });
});
