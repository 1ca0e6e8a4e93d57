import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Changes } from "../../../src/jobs/object/changes.ts";

describe("a waiter for changes", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Starts a sleep, and tells if it is awake by now. */
  const sleep = (changes: Changes, ms: number, signal = new AbortController().signal) => {
    const sleeper = { isAwake: false };
    void changes.next(ms, signal).then(() => (sleeper.isAwake = true));
    return sleeper;
  };
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it("wakes at the change, all at once, and is not kept", async () => {
    const changes = new Changes();
    const sleepers = [sleep(changes, 1_000), sleep(changes, 1_000)];
    await settle();
    expect(sleepers).toEqual([{ isAwake: false }, { isAwake: false }]);
    changes.notify();
    await settle();
    expect(sleepers).toEqual([{ isAwake: true }, { isAwake: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wakes after its time, and not before", async () => {
    const sleeper = sleep(new Changes(), 1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(sleeper.isAwake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(sleeper.isAwake).toBe(true);
  });

  it("wakes when its client goes away, or has gone already", async () => {
    const changes = new Changes();
    const [client, gone] = [new AbortController(), AbortSignal.abort()];
    const sleepers = [sleep(changes, 1_000, client.signal), sleep(changes, 1_000, gone)];
    await settle();
    expect(sleepers).toEqual([{ isAwake: false }, { isAwake: true }]);
    client.abort();
    await settle();
    expect(sleepers).toEqual([{ isAwake: true }, { isAwake: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
