import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judged, nextToReview, type Verdict } from "../../../src/workspace/rules/review.ts";

const NONE = new Map<string, Verdict>();

describe("the review of a batch", () => {
  it("takes a verdict back by the same one, and replaces it by the other", () => {
    const accepted = judged(NONE, ["a"], "accepted");
    expect([...accepted]).toEqual([["a", "accepted"]]);
    expect([...judged(accepted, ["a"], "accepted")]).toEqual([]);
    expect([...judged(accepted, ["a"], "rejected")]).toEqual([["a", "rejected"]]);
  });

  it("takes a verdict on several pictures back only once all of them have it", () => {
    const some = judged(NONE, ["a", "b"], "rejected");
    const all = judged(some, ["a", "b", "c"], "rejected");
    expect([...all.keys()]).toEqual(["a", "b", "c"]);
    expect([...judged(all, ["a", "b"], "rejected").keys()]).toEqual(["c"]);
  });

  it("continues after the open picture, then from the start, past those with a verdict", () => {
    const keys = ["a", "b", "c"];
    expect(nextToReview(keys, "b", NONE)).toBe("c");
    expect(nextToReview(keys, "c", NONE)).toBe("a");
    expect(nextToReview(keys, "a", judged(NONE, ["b"], "rejected"))).toBe("c");
    expect(nextToReview(keys, null, NONE)).toBe("a");
    // The open picture may be out of view.
    expect(nextToReview(keys, "other", NONE)).toBe("a");
    expect(nextToReview(["a"], "a", NONE)).toBeNull();
  });

  it("comes to each picture once, from any start", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), (keys, start) => {
        let verdicts: ReadonlyMap<string, Verdict> = NONE;
        const seen: string[] = [];
        let open: string | null = keys[start % keys.length] ?? null;
        while (open !== null) {
          seen.push(open);
          verdicts = judged(verdicts, [open], "accepted");
          open = nextToReview(keys, open, verdicts);
        }
        expect(seen.toSorted()).toEqual(keys.toSorted());
      }),
    );
  });
});
