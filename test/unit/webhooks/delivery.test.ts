import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  askedAgain,
  attempted,
  begun,
  isSuccess,
  MOST_ATTEMPTS,
  newDelivery,
  RETRY_DELAYS_MS,
  type AttemptEnd,
  type Delivery,
} from "../../../src/webhooks/rules/delivery.ts";

const BEGIN = 1_800_000_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const answered = (status: number, ms = 80): AttemptEnd => ({ status, error: null, ms });
const TIMEOUT: AttemptEnd = { status: null, error: "timeout", ms: 15 * SECOND };

/** One attempt at `now`, from its beginning to its end. */
function tried(delivery: Delivery, end: AttemptEnd, now: number, random = 0): Delivery {
  const { delivery: under, attempt } = begun(delivery, random, now);
  if (attempt === null) throw new Error("no attempt has begun");
  return attempted(under, attempt, end, random, now);
}

/** Runs attempts that all fail, each when it is due. Returns the delays between them. */
function waitsOf(random: number): number[] {
  const waits: number[] = [];
  let now = BEGIN;
  let delivery = newDelivery(now);
  while (delivery.outcome === null) {
    const due = delivery.dueAt ?? Infinity;
    waits.push(due - now);
    now = due;
    delivery = tried(delivery, TIMEOUT, now, random);
  }
  expect(delivery).toMatchObject({ outcome: "failed", dueAt: null });
  return waits;
}

const ends = fc.oneof(
  fc.integer({ min: 100, max: 599 }).map((status) => answered(status)),
  fc.constantFrom("timeout", "unreachable", "url_forbidden").map((error): AttemptEnd => ({
    status: null,
    error,
    ms: 1,
  })),
);

describe("a delivery", () => {
  it("is tried at once, and again 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h after each failure; then it has failed [A3-17]", () => {
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR);
    expect(waitsOf(0)).toEqual([0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours]);
  });

  it("waits up to a tenth longer than the plan, never less [A3-17]", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        for (const [i, wait] of waitsOf(random).slice(1).entries()) {
          const planned = RETRY_DELAYS_MS[i] ?? NaN;
          expect(wait).toBeGreaterThanOrEqual(planned);
          expect(wait).toBeLessThanOrEqual(planned * 1.1 + 1);
        }
      }),
    );
  });

  it("succeeds only by a status from 200 to 299", () => {
    fc.assert(
      fc.property(ends, (end) => {
        const isGood = end.status !== null && Math.floor(end.status / 100) === 2;
        expect(isSuccess(end)).toBe(isGood);
        expect(tried(newDelivery(BEGIN), end, BEGIN).outcome).toBe(isGood ? "succeeded" : null);
      }),
    );
  });

  it("counts the last status of success, and not the next", () => {
    expect([199, 200, 299, 300].map((status) => isSuccess(answered(status)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("keeps when each attempt was, its status and how long it took", () => {
    const first = tried(newDelivery(BEGIN), TIMEOUT, BEGIN);
    const second = tried(first, answered(204, 31), BEGIN + 5 * SECOND);
    expect(second.attempts).toEqual([
      { at: BEGIN, end: TIMEOUT },
      { at: BEGIN + 5 * SECOND, end: { status: 204, error: null, ms: 31 } },
    ]);
  });

  it("that is interrupted during an attempt has failed it after half a minute, and follows the plan", () => {
    const { delivery: open } = begun(newDelivery(BEGIN), 0, BEGIN);
    expect(open).toMatchObject({ attempts: [{ at: BEGIN, end: null }], dueAt: BEGIN + 30 * SECOND });
    const { delivery, attempt } = begun(open, 0, BEGIN + 30 * SECOND);
    expect(attempt).toBeNull();
    const end = { status: null, error: "interrupted", ms: 30 * SECOND };
    expect(delivery).toEqual({ attempts: [{ at: BEGIN, end }], dueAt: BEGIN + 35 * SECOND, outcome: null });
    expect(begun(delivery, 0, BEGIN + 35 * SECOND).attempt).toBe(1);
  });

  it("succeeds after a late success, and ignores a late failure, if it was taken for cut off", () => {
    const { delivery: open } = begun(newDelivery(BEGIN), 0, BEGIN);
    const second = begun(begun(open, 0, BEGIN + MINUTE).delivery, 0, BEGIN + 2 * MINUTE);
    expect(second.attempt).toBe(1);
    expect(attempted(second.delivery, 0, TIMEOUT, 0, BEGIN + 2 * MINUTE)).toMatchObject({
      outcome: null,
      dueAt: second.delivery.dueAt,
    });
    expect(attempted(second.delivery, 0, answered(200), 0, BEGIN + 2 * MINUTE).outcome).toBe("succeeded");
  });

  it("that has succeeded is not undone by another attempt's failure", () => {
    const open = begun(newDelivery(BEGIN), 0, BEGIN).delivery;
    const done = attempted(open, 0, answered(200), 0, BEGIN);
    expect(attempted(done, 0, TIMEOUT, 0, BEGIN)).toMatchObject({ outcome: "succeeded", dueAt: null });
  });
});

describe("a delivery that is requested again", () => {
  it("is due at once, whether it waits, has succeeded or has failed", () => {
    const waiting = tried(newDelivery(BEGIN), TIMEOUT, BEGIN);
    const succeeded = tried(newDelivery(BEGIN), answered(200), BEGIN);
    const failed: Delivery = { ...waiting, outcome: "failed", dueAt: null };
    for (const delivery of [waiting, succeeded, failed])
      expect(askedAgain(delivery, BEGIN + HOUR)).toEqual({
        ...delivery,
        outcome: null,
        dueAt: BEGIN + HOUR,
      });
  });

  it("is left alone while it is being tried", () => {
    const open = begun(newDelivery(BEGIN), 0, BEGIN).delivery;
    expect(askedAgain(open, BEGIN + SECOND)).toBe(open);
  });

  it("is due at once if a late response has made it succeed while the next attempt is in progress", () => {
    const cutOff = begun(begun(newDelivery(BEGIN), 0, BEGIN).delivery, 0, BEGIN + MINUTE).delivery;
    const second = begun(cutOff, 0, BEGIN + 2 * MINUTE).delivery;
    const succeeded = attempted(second, 0, answered(200), 0, BEGIN + 2 * MINUTE);
    expect(askedAgain(succeeded, BEGIN + HOUR)).toMatchObject({ outcome: null, dueAt: BEGIN + HOUR });
  });

  it("has failed for good again if the plan has nothing left", () => {
    let delivery = newDelivery(BEGIN);
    while (delivery.outcome === null) delivery = tried(delivery, TIMEOUT, delivery.dueAt ?? 0);
    const again = askedAgain(delivery, BEGIN + HOUR);
    expect(again && tried(again, TIMEOUT, BEGIN + HOUR)).toMatchObject({ outcome: "failed", dueAt: null });
  });

  it("has 30 attempts at most", () => {
    let delivery: Delivery | null = newDelivery(BEGIN);
    let attempts = 0;
    while (delivery !== null) {
      delivery = tried(delivery, TIMEOUT, BEGIN);
      attempts += 1;
      delivery = askedAgain(delivery, BEGIN);
    }
    expect(attempts).toBe(30);
    expect(MOST_ATTEMPTS).toBe(30);
  });
});

describe("any delivery, after any events", () => {
  const events = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("due" as const), random: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
      fc.record({ kind: fc.constant("end" as const), attempt: fc.nat(12), end: ends }),
      fc.record({ kind: fc.constant("asked" as const) }),
    ),
    { maxLength: 60 },
  );

  it("either waits for a time or has ended, keeps all its attempts, and has no more than there may be", () => {
    fc.assert(
      fc.property(events, (happened) => {
        let now = BEGIN;
        let delivery = newDelivery(now);
        for (const event of happened) {
          const before = delivery;
          if (event.kind === "due" && delivery.dueAt !== null) {
            now = Math.max(now, delivery.dueAt);
            ({ delivery } = begun(delivery, event.random, now));
          } else if (event.kind === "end" && delivery.attempts[event.attempt]?.end === null) {
            delivery = attempted(delivery, event.attempt, event.end, 0, now);
            if (isSuccess(event.end)) expect(delivery.outcome).toBe("succeeded");
          } else if (event.kind === "asked") delivery = askedAgain(delivery, now) ?? delivery;

          expect(delivery.dueAt === null).toBe(delivery.outcome !== null);
          expect(delivery.attempts.length).toBeGreaterThanOrEqual(before.attempts.length);
          expect(delivery.attempts.length).toBeLessThanOrEqual(MOST_ATTEMPTS);
          expect(delivery.attempts.map(({ at }) => at)).toEqual(
            delivery.attempts.map(({ at }) => at).toSorted((a, b) => a - b),
          );
        }
      }),
    );
  });
});
