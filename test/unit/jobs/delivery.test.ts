import { describe, expect, it } from "vitest";
import {
  claimed,
  extended,
  handedBack,
  isDue,
  isExpired,
  isHeldBy,
  newDelivery,
  retried,
  sent,
  takesPlace,
  wakeTime,
  type Delivery,
} from "../../../src/jobs/rules/delivery.ts";
import { policy } from "../../support/job-policy.ts";
import { BEGIN } from "../../support/a-job.ts";

type Work = Delivery<{ readonly at: "finished" }>;

const work = (step: Work["step"], counts: Partial<Work> = {}): Work => ({
  step,
  attempts: 0,
  sends: 0,
  refusals: 0,
  ...counts,
});
const waiting = work({ at: "waiting", notBefore: BEGIN });
const inQueue = work({ at: "sent", resendAt: BEGIN });
const leased = work({ at: "leased", lease: 7, deadline: BEGIN });
const finished = work({ at: "finished" });

/** Applies a rule to work at each step: a moment before the step's time, at it, and after it. */
const around = (rule: (each: Work, now: number) => unknown, each: Work) =>
  [BEGIN - 1, BEGIN, BEGIN + 1].map((now) => rule(each, now));

describe("work on its way through a queue", () => {
  it("begins without attempts, messages or refusals, and may be sent at once", () => {
    expect(newDelivery(BEGIN)).toEqual({
      step: { at: "waiting", notBefore: BEGIN },
      attempts: 0,
      sends: 0,
      refusals: 0,
    });
    expect(isDue(newDelivery(BEGIN), BEGIN)).toBe(true);
  });

  it.each([
    ["waiting", waiting, [false, true, true]],
    ["in the queue", inQueue, [false, true, true]],
    ["leased", leased, [false, false, false]],
    ["finished", finished, [false, false, false]],
  ])("needs a message once its time has come, if no holder has it: %s", (_, each, due) => {
    expect(around(isDue, each)).toEqual(due);
  });

  it.each([
    ["waiting", waiting, [true, false, false]],
    ["in the queue", inQueue, [true, true, true]],
    ["leased", leased, [true, true, true]],
    ["finished", finished, [false, false, false]],
  ])("takes a place in the window in the queue, in hand, and turned away: %s", (_, each, takes) => {
    expect(around(takesPlace, each)).toEqual(takes);
  });

  it.each([
    ["waiting", waiting, [false, false, false]],
    ["in the queue", inQueue, [false, false, false]],
    ["leased", leased, [false, true, true]],
    ["finished", finished, [false, false, false]],
  ])("is taken from its holder at the stroke of the deadline: %s", (_, each, expired) => {
    expect(around(isExpired, each)).toEqual(expired);
  });

  it("needs a check when its step's time comes, and none after its end", () => {
    expect([waiting, inQueue, leased, finished].map(wakeTime)).toEqual([BEGIN, BEGIN, BEGIN, null]);
  });

  it("is held by its lease alone until that is revoked, even past its deadline", () => {
    expect(isHeldBy(leased, 7)).toBe(true);
    expect(isHeldBy(leased, 6)).toBe(false);
    expect([waiting, inQueue, finished].some((each) => isHeldBy(each, 7))).toBe(false);
  });
});

describe("a message for a piece of work", () => {
  it("counts, and is presumed lost after a time that doubles", () => {
    const once = sent(waiting, policy, BEGIN);
    expect(once).toEqual(work({ at: "sent", resendAt: BEGIN + 30_000 }, { sends: 1 }));
    const twice = sent(once, policy, BEGIN + 30_000);
    expect(twice).toEqual(work({ at: "sent", resendAt: BEGIN + 90_000 }, { sends: 2 }));
  });
});

describe("a claim", () => {
  it.each([
    ["waits", waiting],
    ["is in the queue", inQueue],
  ])(
    "is given for work that %s: an attempt, a lease to its deadline, and messages count again",
    (_, each) => {
      const counted = { ...each, attempts: 1, sends: 4, refusals: 2 };
      expect(claimed(counted, 8, policy, BEGIN)).toEqual(
        work({ at: "leased", lease: 8, deadline: BEGIN + 60_000 }, { attempts: 2, sends: 0, refusals: 2 }),
      );
    },
  );

  it.each([
    ["is held, even past its deadline", leased],
    ["has ended", finished],
  ])("is not given for work that %s", (_, each) => {
    expect(claimed(each, 8, policy, BEGIN + 1)).toBeNull();
  });
});

describe("the holder of work", () => {
  it("renews the lease of a working holder, and ends the row of refusals", () => {
    const held = work({ at: "leased", lease: 7, deadline: BEGIN }, { attempts: 1, refusals: 3 });
    expect(extended(held, 7, policy, BEGIN - 1_000)).toEqual(
      work({ at: "leased", lease: 7, deadline: BEGIN + 59_000 }, { attempts: 1, refusals: 0 }),
    );
  });

  it("is handed back by a full service without an attempt, with growing delays", () => {
    let each: Work = waiting;
    const delays: number[] = [];
    for (let times = 0; times < 7; times += 1) {
      const held = claimed(each, times + 1, policy, BEGIN);
      if (held === null) throw new Error("not claimed");
      each = handedBack(held, 0, 0, BEGIN);
      expect(each).toMatchObject({ attempts: 0, refusals: times + 1, step: { at: "waiting" } });
      delays.push((wakeTime(each) ?? 0) - BEGIN);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it("is offered again at the time that a full service named", () => {
    expect(wakeTime(handedBack(leased, 45_000, 0, BEGIN))).toBe(BEGIN + 45_000);
  });

  it("asks a full service again at a random time for each task", () => {
    expect(wakeTime(handedBack(leased, 40_000, 0.5, BEGIN))).toBe(BEGIN + 50_000);
  });
});

describe("after a failed attempt", () => {
  const after = (attempts: number) => retried({ ...leased, attempts }, policy, BEGIN);

  it("work waits for the next one, longer each time", () => {
    expect(after(1)).toEqual(work({ at: "waiting", notBefore: BEGIN + 2_000 }, { attempts: 1 }));
    expect(after(2)).toEqual(work({ at: "waiting", notBefore: BEGIN + 4_000 }, { attempts: 2 }));
  });

  it("nothing is left after the third", () => {
    expect(after(3)).toBeNull();
  });
});
