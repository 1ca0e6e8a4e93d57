import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { haveABadDay } from "../support/bad-days.ts";
import { Draws } from "../../../test/support/chaos/draws.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The heap in megabytes, without unreachable objects. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const CALLS = 500;

describe("the client library over a network that loses, delays, cuts, stalls, doubles and refuses", () => {
  it(`ends each of ${CALLS} calls in the right masks or in one error, makes no job twice, and keeps its memory`, async () => {
    const heaps: number[] = [];
    const { right, failed, faults } = await haveABadDay(
      CALLS,
      new Draws(process.env["SEED"] ?? ""),
      (call) => {
        if (call % 50 === 49) heaps.push(Math.round(heap()));
      },
    );
    console.log(
      `${right} right; failed: ${JSON.stringify([...failed])}; faults: ${JSON.stringify([...faults])}`,
    );
    console.log(`heap after each 50 calls: ${heaps.join(", ")} MB`);
    expect(right).toBeGreaterThan(CALLS * 0.9);
    expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(10);
  });
});
