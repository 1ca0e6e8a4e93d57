import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteCache } from "../../../src/models/memory/byte-cache.ts";

function cacheOf(budget: number): ByteCache<number> {
  return new ByteCache<number>(budget, (size) => size);
}

describe("a cache with a budget of bytes", () => {
  it("forgets the least recently used entry", () => {
    const cache = cacheOf(10);
    cache.set("a", 4);
    cache.set("b", 4);
    cache.get("a");
    cache.set("c", 4);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([4, undefined, 4]);
  });

  it("does not empty itself for a value that never fits", () => {
    const cache = cacheOf(10);
    cache.set("a", 4);
    cache.set("b", 11);
    expect([cache.get("a"), cache.get("b")]).toEqual([4, undefined]);
  });

  it("holds the bytes it counts, never more than its budget", () => {
    const entries = fc.array(
      fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.integer({ min: 1, max: 12 })),
    );
    fc.assert(
      fc.property(entries, (sets) => {
        const cache = cacheOf(20);
        for (const [key, size] of sets) {
          cache.set(key, size);
          const held = ["a", "b", "c", "d", "e"].reduce((sum, name) => sum + (cache.get(name) ?? 0), 0);
          expect(cache.bytes).toBe(held);
          expect(held).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});
