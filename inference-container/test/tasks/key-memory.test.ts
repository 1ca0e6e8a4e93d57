import { afterEach, expect, test, vi } from "vitest";
import { KeyMemory } from "../../src/key-memory.ts";

afterEach(() => void vi.useRealTimers());

test("a key is remembered for its time and no longer", () => {
  vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
  const memory = new KeyMemory(60_000);
  memory.add("one");
  expect([memory.has("one"), memory.has("other")]).toEqual([true, false]);
  vi.setSystemTime(60_999);
  expect(memory.has("one")).toBe(true);
  vi.setSystemTime(61_000);
  expect(memory.has("one")).toBe(false);
});

test("a key that is to be forgotten is no longer known", () => {
  const memory = new KeyMemory(60_000);
  for (const key of ["one", "other"]) memory.add(key);
  memory.forget("one");
  expect([memory.has("one"), memory.has("other")]).toEqual([false, true]);
});

test("the last ten thousand keys are remembered, however many there were", () => {
  const memory = new KeyMemory(60_000);
  for (let i = 0; i < 10_001; i++) memory.add(String(i));
  expect([memory.has("0"), memory.has("1"), memory.has("10000")]).toEqual([false, true, true]);
});

test("a repeated key starts its time over", () => {
  const memory = new KeyMemory(60_000);
  memory.add("again");
  for (let i = 0; i < 9_999; i++) memory.add(String(i));
  memory.add("again");
  memory.add("one more");
  expect([memory.has("again"), memory.has("0")]).toEqual([true, false]);
});
