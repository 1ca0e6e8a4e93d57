import { describe, expect, it } from "vitest";
import { standingOfInvoices, type Invoice } from "../../../src/billing/rules/invoices.ts";

const NOW = Date.UTC(2026, 10, 23);

const invoice = (changes: Partial<Invoice>): Invoice => ({
  status: "paid",
  amountPaid: 100,
  amountRemaining: 0,
  attempted: true,
  isProcessing: false,
  dueAt: null,
  units: 100,
  ...changes,
});
const open = { status: "open", amountPaid: 0, amountRemaining: 100 } as const;

describe("a customer's invoices", () => {
  it("have paid for their units if they were paid with money", () => {
    const invoices = [
      invoice({ units: 7 }),
      invoice({ units: 5 }),
      invoice({ units: 100, amountPaid: 0 }),
      invoice({ ...open, units: 1_000 }),
      invoice({ status: "uncollectible", amountPaid: 60, amountRemaining: 40, units: 100 }),
    ];
    expect(standingOfInvoices(invoices, NOW).paidUnits).toBe(12);
    expect(standingOfInvoices([], NOW)).toEqual({ owes: false, paidUnits: 0 });
  });

  it.each<[string, Partial<Invoice>, boolean]>([
    ["whose payment failed", open, true],
    ["whose payment is under way", { ...open, isProcessing: true }, false],
    ["that was given up", { ...open, status: "uncollectible" }, true],
    ["whose due date has passed", { ...open, attempted: false, dueAt: NOW }, true],
    ["that is not due yet", { ...open, attempted: false, dueAt: NOW + 1 }, false],
    ["whose first payment is still to be tried", { ...open, attempted: false }, false],
    ["of nothing", { ...open, amountRemaining: 0 }, false],
    ["that is a draft", { ...open, status: "draft" }, false],
    ["that is void", { ...open, status: "void" }, false],
    ["that is paid", {}, false],
  ])("with one %s", (_, changes, owes) => {
    expect(standingOfInvoices([invoice({}), invoice(changes)], NOW).owes).toBe(owes);
  });
});
