import * as fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/device/messages.ts";
import { RunQueue } from "../../src/device/run-queue.ts";
import { runOf } from "../support/device/runs.ts";

function queueOf(...runs: readonly Run[]): RunQueue {
  const queue = new RunQueue(() => undefined);
  for (const run of runs) queue.add(run);
  return queue;
}

/** The value that a promise gives before anything else happens; undefined if it still waits. */
function atOnce<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, turn(undefined)]);
}

describe("the runs that wait for a device", () => {
  it("are given by the age of their tasks, and within a task in the order of requests", async () => {
    const [second, first] = [runOf({ work: 2 }), runOf({ work: 1 })];
    const [third, fourth] = [runOf({ work: 3 }), runOf({ work: 3 })];
    const queue = queueOf(fourth, second, first, third);
    for (const run of [first, second, third, fourth]) expect(await queue.next()).toBe(run);
  });

  it("are given at once if none waited", async () => {
    const queue = queueOf();
    const next = queue.next();
    expect(await atOnce(next)).toBeUndefined();
    const run = runOf();
    queue.add(run);
    expect(await next).toBe(run);
  });

  it("include runs that have arrived but were not read yet", async () => {
    const [heard, unheard] = [runOf({ work: 2 }), runOf({ work: 1 })];
    const coming = [unheard];
    const queue = new RunQueue(() => {
      for (const run of coming.splice(0)) queue.add(run);
    });
    queue.add(heard);
    expect(await queue.next()).toBe(unheard);
    expect(await queue.next()).toBe(heard);
  });

  it("are still given after the queue is closed, and then no more", async () => {
    const [first, second] = [runOf(), runOf()];
    const queue = queueOf(first, second);
    queue.close();
    expect(await queue.next()).toBe(first);
    expect(await queue.next()).toBe(second);
    expect(await queue.next()).toBeUndefined();
  });

  it("end with a close while none waits", async () => {
    const queue = queueOf();
    const next = queue.next();
    queue.close();
    expect(await next).toBeUndefined();
  });
});

describe("a run that announces a successor", () => {
  const followed = { work: 10, followed: true };

  it("keeps younger work off the device for it", async () => {
    const [younger, following] = [runOf({ work: 11 }), runOf({ work: 10 })];
    const queue = queueOf(runOf(followed), younger);
    await queue.next();
    const next = queue.next();
    queue.add(following);
    expect(await next).toBe(following);
    expect(await queue.next()).toBe(younger);
  });

  it("gives way to younger work if it does not come", async () => {
    const younger = runOf({ work: 11 });
    const queue = queueOf(runOf(followed), younger);
    await queue.next();
    const next = queue.next();
    expect(await atOnce(next)).toBeUndefined();
    expect(await next).toBe(younger);
  });

  it("does not hold up older work, nor its own", async () => {
    for (const work of [9, 10]) {
      const waits = runOf({ work });
      const queue = queueOf(runOf(followed));
      await queue.next();
      queue.add(waits);
      expect(await atOnce(queue.next())).toBe(waits);
    }
  });

  it("holds the device only for the next run", async () => {
    const queue = queueOf(runOf(followed), runOf({ work: 10 }));
    await queue.next();
    await queue.next();
    const younger = runOf({ work: 11 });
    queue.add(younger);
    expect(await atOnce(queue.next())).toBe(younger);
  });

  it("does not keep what waits from coming after a close", async () => {
    const younger = runOf({ work: 11 });
    const queue = queueOf(runOf(followed), younger);
    queue.close();
    await queue.next();
    expect(await queue.next()).toBe(younger);
    expect(await queue.next()).toBeUndefined();
  });
});

describe("a run that is taken out", () => {
  it("never runs, and can be taken out only while it waits", async () => {
    const [first, second] = [runOf(), runOf()];
    const queue = queueOf(first, second);
    expect(queue.remove(first.id)).toBe(true);
    expect(queue.remove(first.id)).toBe(false);
    expect(await queue.next()).toBe(second);
    expect(queue.remove(second.id)).toBe(false);
  });
});

/** Events of a queue: a run arrives, received at once or not, or the device takes the next one. */
const event = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      work: fc.integer({ min: 1, max: 6 }),
      followed: fc.boolean(),
      heard: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant("take" as const) },
);

function byAge(a: Run, b: Run): number {
  return a.work - b.work || a.id - b.id;
}

describe("a device's queue", () => {
  it("loses no run, starts none twice, and takes the oldest work first", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const unheard: Run[] = [];
        const queue = new RunQueue(() => {
          for (const run of unheard.splice(0)) queue.add(run);
        });
        let waiting: Run[] = [];
        const take = async (): Promise<void> => {
          const [expected] = waiting.toSorted(byAge);
          expect(await queue.next()).toBe(expected);
          waiting = waiting.filter((run) => run !== expected);
        };
        for (const step of events) {
          if (step !== "take") {
            const { heard, ...rest } = step;
            const run = runOf(rest);
            waiting.push(run);
            if (heard) queue.add(run);
            else unheard.push(run);
          } else if (waiting.length > 0) await take();
        }
        while (waiting.length > 0) await take();
        queue.close();
        expect(await queue.next()).toBeUndefined();
      }),
    );
  });
});
