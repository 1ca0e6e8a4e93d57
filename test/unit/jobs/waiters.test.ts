import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MOST_WAIT_SECONDS,
  waitSeconds,
  MOST_STREAMS,
  STREAMS_HOLD_MS,
  STREAMS_REPORTED_EVERY_MS,
  stillOpen,
  streamsReported,
  type OpenStreams,
} from "../../../src/jobs/rules/waiters.ts";

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

  it("is a whole number from 1 to 60, or absent, for any header", () => {
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

const sum = (open: OpenStreams): number => Object.values(open).reduce((total, { count }) => total + count, 0);

describe("an account's open streams", () => {
  it("are the latest reports of its jobs, never above the limit", () => {
    const said = fc.record({
      jobId: fc.constantFrom("a", "b", "c", "d"),
      count: fc.integer({ min: 0, max: 60 }),
      ms: fc.integer({ min: 0, max: STREAMS_HOLD_MS }),
    });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 60 }), (sayings) => {
        let open: OpenStreams = {};
        let now = 0;
        for (const { jobId, count, ms } of sayings) {
          now += ms;
          const before = stillOpen(open, now);
          const { open: after, admitted } = streamsReported(open, jobId, count, now);
          expect(after[jobId]?.count ?? 0).toBe(admitted ? count : (before[jobId]?.count ?? 0));
          expect(sum(after)).toBeLessThanOrEqual(Math.max(MOST_STREAMS.account, sum(before)));
          const others = sum(before) - (before[jobId]?.count ?? 0);
          expect(admitted).toBe(
            count <= (before[jobId]?.count ?? 0) || others + count <= MOST_STREAMS.account,
          );
          open = after;
        }
      }),
    );
  });

  it("may be as many as an account may have, and not one more", () => {
    const { open, admitted } = streamsReported({}, "a", MOST_STREAMS.account - 1, 0);
    expect(admitted).toBe(true);
    expect(streamsReported(open, "b", 2, 0)).toMatchObject({ open, admitted: false });
    expect(streamsReported(open, "b", 1, 0).admitted).toBe(true);
  });

  it("are forgotten for a silent job, and kept for one that reports in time", () => {
    let { open } = streamsReported({}, "alive", 50, 0);
    ({ open } = streamsReported(open, "dead", 50, 0));
    expect(streamsReported(open, "new", 10, STREAMS_HOLD_MS - 1).admitted).toBe(false);
    ({ open } = streamsReported(open, "alive", 50, STREAMS_REPORTED_EVERY_MS));
    const { open: after, admitted } = streamsReported(open, "new", 10, STREAMS_HOLD_MS);
    expect(admitted).toBe(true);
    expect(Object.keys(after).toSorted()).toEqual(["alive", "new"]);
  });

  it("are not kept for a job without streams", () => {
    const { open } = streamsReported({}, "a", 3, 0);
    expect(streamsReported(open, "a", 0, 0).open).toEqual({});
  });

  it("are admitted up to the job's former number, even for an account that has too many", () => {
    const open: OpenStreams = { a: { count: 60, until: 1 }, b: { count: 60, until: 1 } };
    expect([59, 60, 61].map((count) => streamsReported(open, "a", count, 0).admitted)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
