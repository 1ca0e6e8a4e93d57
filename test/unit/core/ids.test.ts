import { expect, it, vi } from "vitest";
import { isJobId, newId } from "../../../src/core/ids.ts";

it("job ids are of one form, unique, and sort by the time at which they were made", () => {
  const ids: string[] = [];
  const start = Date.now();
  try {
    for (let later = 0; later < 100; later += 1) {
      vi.useFakeTimers({ now: start + later ** 3, toFake: ["Date"] });
      for (let i = 0; i < 20; i += 1) ids.push(newId("job"));
    }
  } finally {
    vi.useRealTimers();
  }
  expect(ids.filter((id) => !isJobId(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});
