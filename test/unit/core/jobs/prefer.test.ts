import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_WAIT_SECONDS, waitSeconds } from "../../../../src/core/jobs/prefer.ts";

describe("the wait that a client prefers", () => {
  it.each([
    ["wait=10", 10],
    ["wait=1", 1],
    ["wait=60", 60],
    ["WAIT=10", 10],
    ["wait = 10", 10],
    ['wait="10"', 10],
    ["wait=007", 7],
    ["respond-async, wait=10", 10],
    ["wait=10; of=the-job, handling=lenient", 10],
    ['note="a, wait=5", wait=10', 10],
    ['note="a \\" , wait=5", wait=10', 10],
    // The first of a name counts (RFC 7240, 2).
    ["wait=10, wait=20", 10],
    ["wait=soon, wait=20", null],
    ["wait, wait=20", null],
    ["wait; of=20", null],
    ["wait", null],
    ["wait=", null],
    ["wait=0", null],
    ["wait=-1", null],
    ["wait=1.5", null],
    ["wait=1e1", null],
    ["wait=ten", null],
    ['wait="10', null],
    ["waiter=10", null],
    ['note="wait=5"', null],
    ['note="open, wait=5', null],
    ["", null],
    [undefined, null],
  ])("of %j is %j [A1-3]", (header, seconds) => {
    expect(waitSeconds(header)).toBe(seconds);
  });

  it("is the number that it names, and at most 60", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 400n }), (seconds) => {
        const most = BigInt(MOST_WAIT_SECONDS);
        expect(waitSeconds(`wait=${seconds}`)).toBe(Number(seconds < most ? seconds : most));
      }),
    );
  });

  it("is a whole number from 1 to 60, or none, whatever the header", () => {
    const piece = fc.constantFrom("wait", "=", '"', "\\", ",", ";", " ", "5", "99", "x");
    const header = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.oneof(header, fc.string()), (text) => {
        const seconds = waitSeconds(text);
        if (seconds === null) return;
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(MOST_WAIT_SECONDS);
      }),
    );
  });

  it("is found in time that grows with the header, not with its square", () => {
    for (const text of ['"', ",", '\\"', 'x"', "wait=", "wait ="]) waitSeconds(text.repeat(20_000));
  });
});
