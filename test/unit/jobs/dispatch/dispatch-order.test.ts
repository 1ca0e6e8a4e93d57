import { describe, expect, it } from "vitest";
import { isLong } from "../../../../inference-container/test/support/form.ts";
import { measureBacklog, measureBurst, measureFlood, measureOutage, measureWaiting } from "./measure.ts";

/** Each in simulated time, with the project's rules. */
describe("the dispatch of tasks", () => {
  const outages = [
    ["one service", {}, 2],
    // An account with a tenth of all tasks waits behind the others, and waits for its turn each time.
    ["few accounts", { accounts: 10 }, 4],
    ["four services behind one URL", { services: 4 }, 2],
  ] as const;
  it.each(isLong ? outages : outages.slice(0, 2))(
    "after ten minutes' outage at a load of 0.9: p99 of the wait is at most 1.5 × first in, first out: %s",
    (_, changes, mostWorst) => {
      const { p99, fifoP99, worst, fifoWorst } = measureOutage({ seed: 1, ...changes });
      expect(p99 / fifoP99).toBeLessThan(1.5);
      expect(worst / fifoWorst).toBeLessThan(mostWorst);
    },
  );

  it.runIf(isLong)(
    "wakes no object while thousands wait, and serves them nearly in the order of their acceptance afterward [3.1-12]",
    () => {
      const { objects, p99, fifoP99 } = measureBacklog(5_000, { services: 25 });
      expect(objects).toBe(0);
      expect(p99 / fifoP99).toBeLessThan(1.5);
    },
  );

  it("costs at most 5,000 messages of a queue per second and $130 for a day in which 200,000 tasks wait [3.1-12]", () => {
    for (const seconds of isLong ? [10_000, 86_400] : [10_000]) {
      const { messages, dollarsPerDay, p99Share } = measureWaiting(200_000, seconds, 1);
      expect(messages).toBeLessThan(5_000);
      expect(dollarsPerDay).toBeLessThan(130);
      expect(p99Share, "a message comes within half of the time that its task has waited").toBeLessThan(0.5);
    }
  });

  it("lets an account with 1,000 single pictures in progress at most double the time of another's at 80 % load", () => {
    for (const seed of isLong ? [1, 2] : [1]) {
      const { without, withFlood } = measureFlood(1, { seed, seconds: 3_000 });
      expect(withFlood / without).toBeLessThan(2);
    }
  });

  it("lets an account with 1,000 batches in progress at most double the time of another's single picture at 80 % load", () => {
    const { without, withFlood } = measureFlood(6, { seconds: 1_000, countFrom: 250 });
    expect(withFlood / without).toBeLessThan(2);
  });

  it("does not let 1,000 pictures that came at once come back in step, so that a fast device idles", () => {
    const { took, device } = measureBurst(0.25, {});
    expect(took / device).toBeLessThan(1.5);
  });
});
