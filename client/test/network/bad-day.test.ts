import { describe, expect, it } from "vitest";
import { haveABadDay } from "../support/bad-days.ts";
import { Draws } from "../../../test/support/chaos/draws.ts";

describe("over a network that loses, delays, cuts, stalls, doubles and refuses", () => {
  it("8 calls each end in the right masks or in one error, and never make two jobs", async () => {
    const { right, failed, faults } = await haveABadDay(8, new Draws(process.env["SEED"] ?? ""));
    console.log(
      `${right} right, failed: ${JSON.stringify([...failed])}, faults: ${JSON.stringify([...faults])}`,
    );
    expect(right).toBeGreaterThan(3);
    expect(faults.size).toBeGreaterThan(5);
  });
});
