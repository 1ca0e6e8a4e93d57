import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentMap } from "../../../src/shared/recent-map.ts";

const KEYS = ["a", "b", "c", "d", "e"];

describe("a recent map", () => {
  it("knows a key until its time is over, counted from when it was last put", () => {
    const map = new RecentMap<number>(10, 1_000);
    map.put("a", 1, 0);
    expect(map.get("a", 999)).toBe(1);
    expect(map.get("a", 1_000)).toBeUndefined();
    map.put("a", 2, 999);
    expect(map.get("a", 1_998)).toBe(2);
    expect(map.get("a", 1_999)).toBeUndefined();
    expect(map.get("b", 0)).toBeUndefined();
  });

  it("forgets a key that is deleted", () => {
    const map = new RecentMap<number>(10, 1_000);
    map.put("a", 1, 0);
    map.delete("a");
    expect(map.get("a", 0)).toBeUndefined();
  });

  it("keeps no more than its capacity: those that were put last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.constantFrom(...KEYS)), (capacity, puts) => {
        const map = new RecentMap<number>(capacity, 1_000);
        for (const [i, key] of puts.entries()) map.put(key, i, 0);
        const latest = new Set(puts.toReversed());
        const kept = new Set([...latest].slice(0, capacity));
        for (const key of KEYS)
          expect(map.get(key, 0), key).toBe(kept.has(key) ? puts.lastIndexOf(key) : undefined);
      }),
    );
  });
});
