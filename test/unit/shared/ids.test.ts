import { describe, expect, it, vi } from "vitest";
import { isJobId, newId } from "../../../src/shared/ids.ts";

describe("identifiers", () => {
  it("of jobs have one form, are unique, and sort by creation time [2-2]", () => {
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

  it.each(["job", "acct", "key"] as const)("name their kind: %s", (kind) => {
    expect(newId(kind)).toMatch(new RegExp(`^${kind}_[0-9a-f]{32}$`));
  });

  it("of jobs are distinguished from any other text", () => {
    const id = `job_${"0123456789abcdef".repeat(2)}`;
    expect(isJobId(id)).toBe(true);
    const others = [
      newId("key"),
      `${id}0`,
      ` ${id}`,
      id.slice(0, -1),
      id.replace("f", "g"),
      id.toUpperCase(),
      "",
    ];
    expect(others.filter(isJobId)).toEqual([]);
  });
});
