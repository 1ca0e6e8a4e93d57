import fc from "fast-check";
import { expect, it } from "vitest";
import { bestStanding, type Subscription } from "../../../src/billing/rules/subscription.ts";

const subscription = fc.record<Subscription>({
  id: fc.uuid(),
  status: fc.constantFrom("active", "trialing", "past_due", "unpaid", "paused", "incomplete", "canceled"),
  createdAt: fc.nat(20),
  currentPeriodEnd: fc.constant(null),
  latestInvoiceStatus: fc.constant(null),
});

it("uses the best subscription: active, trialing, past due, unpaid, any other; of equals the newest", () => {
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
