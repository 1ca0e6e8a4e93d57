import fc from "fast-check";
import { expect, it } from "vitest";
import { accessModeOf } from "../../../src/core/access.ts";
import { bestStanding, type Subscription } from "../../../src/core/subscription.ts";

const subscription = fc.record<Subscription>({
  id: fc.uuid(),
  status: fc.constantFrom("active", "trialing", "past_due", "unpaid", "paused", "incomplete", "canceled"),
  createdAt: fc.nat(20),
  currentPeriodEnd: fc.constant(null),
  latestInvoiceStatus: fc.constant(null),
});

it("lets the best-standing subscription speak: active, trialing, past due, unpaid, any other; of equals the newest", () => {
  fc.assert(
    fc.property(fc.array(subscription), (all) => {
      const order = ["active", "trialing", "past_due", "unpaid"];
      const best = bestStanding(all);
      const firstRank = order.find((status) => all.some((one) => one.status === status));
      const candidates = all.filter((one) => firstRank === undefined || one.status === firstRank);
      expect(best?.createdAt).toBe(
        candidates.length === 0 ? undefined : Math.max(...candidates.map(({ createdAt }) => createdAt)),
      );
      if (best !== null) expect(candidates).toContain(best);
    }),
  );
});

it("gives access by it: one that is paid for lets in, one in arrears blocks, any other is as good as none", () => {
  const modes = ["active", "trialing", "past_due", "unpaid", "paused", "canceled", null].map((status) =>
    accessModeOf("trial", status),
  );
  expect(modes).toEqual(["paid", "paid", "blocked", "blocked", "trial", "trial", "trial"]);
});
