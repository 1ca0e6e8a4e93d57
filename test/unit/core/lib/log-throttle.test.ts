import { describe, expect, it } from "vitest";
import { LogThrottle } from "../../../../src/core/lib/log-throttle.ts";

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
