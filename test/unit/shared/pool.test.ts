import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapAhead, mapPool } from "../../../src/shared/pool.ts";

describe("a pool", () => {
  it("returns all results in the order of the items, never with more than its width in progress", async () => {
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
          // The whole width is in use as long as there are items.
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

  it("begins nothing after it", async () => {
    const begun: number[] = [];
    const mapped = mapPool([1, 2, 3, 4, 5, 6], 2, async (item) => {
      begun.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error("one is no good");
    });
    await expect(mapped).rejects.toThrow("one is no good");
    await new Promise((resolve) => setTimeout(resolve));
    expect(begun).not.toContain(4);
  });
});

describe("work that is done ahead", () => {
  it("returns its results in the order of the items, never with more than its width in progress", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.scheduler(),
        async (items, width, scheduler) => {
          let underWay = 0;
          let most = 0;
          let begun = 0;
          const read = async () => {
            const results: number[] = [];
            const mapped = mapAhead(items, width, async (item) => {
              begun += 1;
              underWay += 1;
              most = Math.max(most, underWay);
              await scheduler.schedule(Promise.resolve());
              underWay -= 1;
              return item * 2;
            });
            for await (const result of mapped) {
              results.push(result);
              // Untaken results count, too: memory holds them.
              expect(begun - results.length).toBeLessThan(width);
            }
            return results;
          };
          expect(await scheduler.waitFor(read())).toEqual(items.map((item) => item * 2));
          expect(most).toBe(Math.min(width, items.length));
        },
      ),
    );
  });

  it("fails at the failed item's turn, after the results before it", async () => {
    const results: number[] = [];
    const read = async () => {
      const mapped = mapAhead([1, 2, 3, 4], 3, async (item) => {
        if (item > 1) throw new Error(`${item} is no good`);
        return item;
      });
      for await (const result of mapped) results.push(result);
    };
    await expect(read()).rejects.toThrow("2 is no good");
    expect(results).toEqual([1]);
  });

  it("starts nothing more once its results are no longer read", async () => {
    const begun: number[] = [];
    const mapped = mapAhead([1, 2, 3, 4, 5], 2, async (item) => begun.push(item));
    for await (const _ of mapped) break;
    expect(begun).toEqual([1, 2]);
  });

  it("leaves nothing pending if the consumer stops in between", async () => {
    const answers = [1, 2, 3].map(() => Promise.withResolvers<number>());
    let ended = 0;
    const mapped = mapAhead(answers, 3, async ({ promise }) => {
      await promise;
      ended += 1;
    });
    answers[0]?.resolve(0);
    await mapped.next();
    const stopped = mapped.return();
    setTimeout(() => {
      answers[1]?.resolve(0);
      answers[2]?.reject(new Error("three is no good"));
    });
    await stopped;
    expect(ended).toBe(2);
    const [, , third] = answers;
    await expect(third?.promise).rejects.toThrow("three is no good");
  });
});
