import * as fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { joinable, rowsOf } from "../../src/device/batch.ts";
import type { GraphFile, Run } from "../../src/device/messages.ts";
import { RunQueue } from "../../src/device/run-queue.ts";
import { floatsOf, runOf } from "../support/runs.ts";

/** Longer than anyone waits. */
const HOUR_MS = 3_600_000;

function graphOf(maxBatch: number, batchDelayMs = 0): GraphFile {
  return { path: "graph.onnx", options: { provider: "cpu", device: 0, threads: 1 }, maxBatch, batchDelayMs };
}

function queueOf(...runs: readonly Run[]): RunQueue {
  const queue = new RunQueue(() => undefined);
  for (const run of runs) queue.add(run);
  return queue;
}

/** What a promise gives before anything else happens; undefined if it still waits. */
function atOnce<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, turn(undefined)]);
}

/** `count` rows of one number each. */
function rows(count: number): Run["feeds"] {
  return { x: { ...floatsOf(Array.from({ length: count }, () => [0])), dims: [count, 1] } };
}

describe("the runs that wait for a device", () => {
  it("are given by the age of their works, and in a work as they were asked for", async () => {
    const [second, first] = [runOf({ work: 2 }), runOf({ work: 1 })];
    const [third, fourth] = [runOf({ work: 3 }), runOf({ work: 3 })];
    const queue = queueOf(fourth, second, first, third);
    for (const run of [first, second, third, fourth]) expect(await queue.next()).toBe(run);
  });

  it("are given as soon as they come where none waited", async () => {
    const queue = queueOf();
    const next = queue.next();
    expect(await atOnce(next)).toBeUndefined();
    const run = runOf();
    queue.add(run);
    expect(await next).toBe(run);
  });

  it("count those that have come but were not heard yet", async () => {
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

describe("a run that says that its work's next follows", () => {
  const followed = { work: 10, followed: true };

  it("keeps the device from younger works for it", async () => {
    const [younger, following] = [runOf({ work: 11 }), runOf({ work: 10 })];
    const queue = queueOf(runOf(followed), younger);
    await queue.next();
    const next = queue.next();
    queue.add(following);
    expect(await next).toBe(following);
    expect(await queue.next()).toBe(younger);
  });

  it("gives way to younger works where it does not come", async () => {
    const younger = runOf({ work: 11 });
    const queue = queueOf(runOf(followed), younger);
    await queue.next();
    const next = queue.next();
    expect(await atOnce(next)).toBeUndefined();
    expect(await next).toBe(younger);
  });

  it("does not hold up an older work, nor its own", async () => {
    for (const work of [9, 10]) {
      const waits = runOf({ work });
      const queue = queueOf(runOf(followed));
      await queue.next();
      queue.add(waits);
      expect(await atOnce(queue.next())).toBe(waits);
    }
  });

  it("keeps the device no longer than for the one that follows", async () => {
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
  it("is not given any more, and only while it waits can it be taken out", async () => {
    const [first, second] = [runOf(), runOf()];
    const queue = queueOf(first, second);
    expect(queue.remove(first.id)).toBe(true);
    expect(queue.remove(first.id)).toBe(false);
    expect(await queue.next()).toBe(second);
    expect(queue.remove(second.id)).toBe(false);
  });
});

describe("the companions of a run", () => {
  it("are those that can be joined with it, oldest first, up to the graph's most rows", async () => {
    const [first, second, third] = [1, 2, 3].map((work) => runOf({ work, feeds: rows(1) }));
    const other = runOf({ work: 2, graph: 2, feeds: rows(1) });
    const large = runOf({ work: 2, feeds: rows(3) });
    if (first === undefined || second === undefined || third === undefined) throw new Error("No runs.");
    const queue = queueOf(third, large, other, second, first);
    expect(await queue.next()).toBe(first);
    expect(await queue.companions(first, graphOf(3))).toEqual([first, second, third]);
    expect([await queue.next(), await queue.next()]).toEqual([other, large].toSorted((a, b) => a.id - b.id));
  });

  it("are waited for where the graph says so, until a batch is full or the queue is closed", async () => {
    const [first, second, third] = [1, 1, 1].map((count) => runOf({ feeds: rows(count) }));
    if (first === undefined || second === undefined || third === undefined) throw new Error("No runs.");
    const queue = queueOf(first);
    await queue.next();
    const full = queue.companions(first, graphOf(3, HOUR_MS));
    queue.add(second);
    expect(await atOnce(full)).toBeUndefined();
    queue.add(third);
    expect(await full).toEqual([first, second, third]);
    const closed = queue.companions(first, graphOf(3, HOUR_MS));
    queue.close();
    expect(await closed).toEqual([first]);
  });

  it("are not waited for while other work waits", async () => {
    const [first, other] = [runOf({ feeds: rows(1) }), runOf({ graph: 2, feeds: rows(1) })];
    const queue = queueOf(first);
    await queue.next();
    const companions = queue.companions(first, graphOf(3, HOUR_MS));
    expect(await atOnce(companions)).toBeUndefined();
    queue.add(other);
    expect(await companions).toEqual([first]);
    expect(await queue.next()).toBe(other);
  });

  it("are waited for no longer than the graph says", async () => {
    const first = runOf();
    const queue = queueOf();
    expect(await queue.companions(first, graphOf(2, 20))).toEqual([first]);
  });

  it("are not waited for where none can come: what grows by a tensor of the device is always alone", async () => {
    const first = runOf({ feeds: { x: { held: 1, size: 4 } } });
    const companions = queueOf(runOf({ feeds: first.feeds })).companions(first, graphOf(2, HOUR_MS));
    expect(await atOnce(companions)).toEqual([first]);
  });

  it("are none for a run that fills a batch alone, or more than that", async () => {
    for (const count of [4, 5]) {
      const first = runOf({ feeds: rows(count) });
      const queue = queueOf(first, runOf({ feeds: rows(1) }));
      await queue.next();
      expect(await queue.companions(first, graphOf(4))).toEqual([first]);
    }
  });
});

/** What happens to a queue: a run comes, heard at once or not, or the device takes the next one and its companions. */
const event = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      work: fc.integer({ min: 1, max: 6 }),
      graph: fc.integer({ min: 1, max: 2 }),
      rows: fc.nat(3),
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
  it("loses no run, gives none twice, the oldest work first, and joins all that fits and nothing else", async () => {
    const batch = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), batch, async (events, maxBatch) => {
        const unheard: Run[] = [];
        const queue = new RunQueue(() => {
          for (const run of unheard.splice(0)) queue.add(run);
        });
        let waiting: Run[] = [];
        const take = async (): Promise<void> => {
          const expected = waiting.toSorted(byAge)[0];
          const first = await queue.next();
          expect(first).toBe(expected);
          if (first === undefined) return;
          const joined = await queue.companions(first, graphOf(maxBatch));
          expect(new Set(joined).size).toBe(joined.length);
          expect(joined.every((run) => waiting.includes(run))).toBe(true);
          expect(joined).toEqual(joined.toSorted(byAge));
          expect(joined.every((run) => joinable(first, run))).toBe(true);
          waiting = waiting.filter((run) => !joined.includes(run));
          const count = joined.reduce((sum, run) => sum + (rowsOf(run) ?? NaN), 0);
          expect(count).toBeLessThanOrEqual(Math.max(maxBatch, rowsOf(first) ?? NaN));
          for (const run of waiting)
            if (joinable(first, run)) expect(count + (rowsOf(run) ?? NaN)).toBeGreaterThan(maxBatch);
        };
        for (const told of events) {
          if (told !== "take") {
            const { heard, rows: count, ...rest } = told;
            const run = runOf({ ...rest, feeds: rows(count) });
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
