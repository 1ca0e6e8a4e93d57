import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BEAT_MS, Watchdog } from "../../src/supervisor/watchdog.ts";

const LIMIT_MS = 10_000;

let stuck: (string | undefined)[];
let watchdog: Watchdog;
beforeEach(() => {
  vi.useFakeTimers();
  stuck = [];
  watchdog = new Watchdog(LIMIT_MS, (id) => stuck.push(id));
});
afterEach(() => {
  watchdog.clear();
  vi.useRealTimers();
});

/** Lets time pass in an engine that is not blocked; calls `each` every second. */
function runFor(ms: number, each = (): void => undefined): void {
  for (let passed = 0; passed < ms; passed += BEAT_MS) {
    vi.advanceTimersByTime(BEAT_MS);
    watchdog.beat();
    each();
  }
}

test("none of several tasks is named when the engine falls silent, at any stage", () => {
  for (const id of ["waiter", "holder", "busy"]) watchdog.began(id);
  watchdog.at("waiter", "waiting");
  watchdog.at("holder", "model");
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(stuck).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(stuck).toEqual([undefined]);
});

test("of several tasks that are stuck at once none is named", () => {
  for (const id of ["one", "other", "heard"]) watchdog.began(id);
  runFor(LIMIT_MS, () => watchdog.reported("heard"));
  expect(stuck).toEqual([]);
  runFor(BEAT_MS);
  expect(stuck).toEqual([undefined]);
});

test("the others wait for the task that has the device, else for the oldest", () => {
  expect(watchdog.foremost).toBe(undefined);
  for (const id of ["busy", "holder"]) watchdog.began(id);
  expect(watchdog.foremost).toBe("busy");
  watchdog.at("holder", "model");
  expect(watchdog.foremost).toBe("holder");
});

test("a task that holds the device beyond the limit is stuck, though the engine runs and other tasks report", () => {
  for (const id of ["holder", "clip"]) watchdog.began(id);
  watchdog.at("holder", "model");
  runFor(LIMIT_MS, () => watchdog.reported("clip"));
  expect(stuck).toEqual([]);
  runFor(BEAT_MS);
  expect(stuck).toEqual(["holder"]);
});

test("a task with silent work off the device is stuck, though a video continues in parallel", () => {
  for (const id of ["silent", "clip"]) watchdog.began(id);
  runFor(LIMIT_MS, () => {
    watchdog.at("clip", "model");
    watchdog.at("clip", "busy");
  });
  expect(stuck).toEqual([]);
  runFor(BEAT_MS);
  expect(stuck).toEqual(["silent"]);
});

test("a task that waits for the device, or that a held-up engine could not hear, is not stuck", () => {
  for (const id of ["holder", "busy", "waiter"]) watchdog.began(id);
  watchdog.at("waiter", "waiting");
  for (let turn = 0; turn < 5; turn++) {
    watchdog.at("holder", "model");
    vi.advanceTimersByTime(LIMIT_MS - 1);
    watchdog.at("holder", "busy");
  }
  expect(stuck).toEqual([]);
});

test("a silent engine is its only task's fault, and without tasks it has no culprit", () => {
  watchdog.began("first");
  watchdog.began("second");
  watchdog.ended("first");
  vi.advanceTimersByTime(LIMIT_MS);
  expect(stuck).toEqual(["second"]);
  watchdog.ended("second");
  vi.advanceTimersByTime(10 * LIMIT_MS);
  expect(stuck).toEqual(["second"]);
});
