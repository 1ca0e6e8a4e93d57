import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapPool } from "../../../src/core/pool.ts";

describe("a pool", () => {
  it("gives all results in the order of the items, never with more than its width under way", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.scheduler(),
        async (items, width, scheduler) => {
          let underWay = 0;
          let most = 0;
          const mapped = mapPool(items, width, async (item) => {
            underWay += 1;
            most = Math.max(most, underWay);
            await scheduler.schedule(Promise.resolve());
            underWay -= 1;
            return item * 2;
          });
          expect(await scheduler.waitFor(mapped)).toEqual(items.map((item) => item * 2));
          // All of its width is used as long as there are items.
          expect(most).toBe(Math.min(width, items.length));
        },
      ),
    );
  });

  it("ends with the first failure", async () => {
    const mapped = mapPool([1, 2, 3], 2, async (item) => {
      if (item === 2) throw new Error("two is no good");
      return item;
    });
    await expect(mapped).rejects.toThrow("two is no good");
  });
});
