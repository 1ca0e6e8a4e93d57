import { expect, it } from "vitest";
import { RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../../../src/core/metering.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it("usage that was sent once is sent again for most of the 24 hours for which Stripe knows it, and no longer", () => {
  expect(RESENT_WITHIN_MS).toBeGreaterThanOrEqual(12 * HOUR);
  expect(RESENT_WITHIN_MS).toBeLessThan(24 * HOUR);
});

it("usage is reported for most of the 35 days for which Stripe takes it, and no longer", () => {
  expect(SENT_WITHIN_MS).toBeGreaterThanOrEqual(30 * DAY);
  expect(SENT_WITHIN_MS).toBeLessThan(35 * DAY);
});
