import { describe, expect, it } from "vitest";
import { measureBurst, measureFlood, measureOutage } from "../support/node/dispatch/measure.ts";

/** Each in simulated time, with the project's own rules; `npm run bench -- dispatch` has the long form. */
describe("the dispatch of tasks", () => {
  it.each([
    ["one service", {}],
    ["four services behind one URL", { services: 4 }],
    ["few accounts", { accounts: 10 }],
  ])(
    "after ten minutes' outage at a load of 0.9: p99 of the wait is at most 1.5 × first in, first out: %s",
    (_, changes) => {
      for (const seed of [1, 2]) {
        const { p99, fifoP99, worst, fifoWorst } = measureOutage({ seed, ...changes });
        expect(p99 / fifoP99).toBeLessThan(1.5);
        expect(worst / fifoWorst).toBeLessThan(2);
      }
    },
  );

  it("lets an account with 1,000 single pictures under way at most double the time of another's at 80 % load", () => {
    for (const seed of [1, 2]) {
      const { without, withFlood } = measureFlood(1, { seed, seconds: 3_000 });
      expect(withFlood / without).toBeLessThan(2);
    }
  });

  it("lets an account with 1,000 batches under way at most double the time of another's single picture at 80 % load", () => {
    const { without, withFlood } = measureFlood(6, { seconds: 1_000, countFrom: 250 });
    expect(withFlood / without).toBeLessThan(2);
  });

  it("does not let 1,000 pictures that came at once come back in step, so that a fast device idles", () => {
    const { took, device } = measureBurst(0.25, {});
    expect(took / device).toBeLessThan(1.5);
  });
});
