import * as fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inOrder } from "../../src/engine/in-order.ts";

const unhandled: unknown[] = [];
const hear = (reason: unknown): number => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", hear);
});
afterEach(async () => {
  await turns(5);
  process.off("unhandledRejection", hear);
  expect(unhandled).toEqual([]);
});

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await turn();
}

/** A stream of 0, 1, 2, … that takes some turns per item and knows whether it was returned. */
class Source {
  readonly #delays: readonly number[];
  readonly #fails: number | undefined;
  given = 0;
  returned = 0;

  /** @param delays the number of turns that each item takes @param fails the item in whose place it fails */
  constructor(delays: readonly number[], fails?: number) {
    this.#delays = delays;
    this.#fails = fails;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    try {
      for (const [item, delay] of this.#delays.entries()) {
        await turns(delay);
        if (item === this.#fails) throw new Error("the video is damaged");
        this.given += 1;
        yield item;
      }
    } finally {
      this.returned += 1;
    }
  }
}

/** Work of some turns per item, which counts its concurrent runs. */
class Work {
  readonly #delays: readonly number[];
  readonly #fails: number | undefined;
  begun = 0;
  now = 0;
  most = 0;

  constructor(delays: readonly number[], fails?: number) {
    this.#delays = delays;
    this.#fails = fails;
  }

  readonly on = async (item: number): Promise<string> => {
    this.begun += 1;
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    await turns(this.#delays[item] ?? 0);
    this.now -= 1;
    if (item === this.#fails) throw new Error("the model failed");
    return `frame ${item}`;
  };
}

async function collected(stream: AsyncIterable<string>): Promise<string[]> {
  const results: string[] = [];
  for await (const result of stream) results.push(result);
  return results;
}

function frames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `frame ${i}`);
}

const ahead = fc.integer({ min: 1, max: 5 });
/** Per item: the turns that the source, the work and the listener take. */
const clip = fc.array(fc.tuple(fc.nat(4), fc.nat(6), fc.nat(3)), { maxLength: 12 });

describe("a stream that is worked on ahead", () => {
  it("returns the results in the items' order, with no more at once than it may", async () => {
    await fc.assert(
      fc.asyncProperty(clip, ahead, async (items, most) => {
        const source = new Source(items.map(([delay]) => delay));
        const work = new Work(items.map(([, delay]) => delay));
        const results: string[] = [];
        for await (const result of inOrder(source, most, work.on)) {
          await turns(items[results.length]?.[2] ?? 0);
          results.push(result);
        }
        expect(results).toEqual(frames(items.length));
        expect(work.most).toBeLessThanOrEqual(most);
        expect([work.begun, work.now, source.returned]).toEqual([items.length, 0, 1]);
      }),
    );
  });

  it("works on the maximum at once if work is slower than the source", async () => {
    await fc.assert(
      fc.asyncProperty(ahead, fc.nat(7), async (most, more) => {
        const count = most + more;
        const source = new Source(Array.from({ length: count }, () => 1));
        const work = new Work(Array.from({ length: count }, () => 4 * most + 10));
        await collected(inOrder(source, most, work.on));
        expect(work.most).toBe(most);
      }),
    );
  });

  it("returns a result as soon as it is done, though the source is slow", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* stuck(): AsyncGenerator<number> {
      yield 0;
      await promise;
      yield 1;
    }
    const stream = inOrder(stuck(), 3, new Work([]).on);
    expect(await stream.next()).toEqual({ value: "frame 0", done: false });
    resolve();
    expect(await collected(stream)).toEqual(["frame 1"]);
  });

  it("reads at most one item more than are worked on", async () => {
    const source = new Source(Array.from({ length: 20 }, () => 0));
    const work = new Work([]);
    const stream = inOrder(source, 3, work.on);
    await stream.next();
    await turns(20);
    expect(work.begun).toBeLessThanOrEqual(3);
    expect(source.given).toBeLessThanOrEqual(4);
    await stream.return(undefined);
  });
});

describe("the time of a stream", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("reports how long it waited for the next item while idle, including the stream's end", async () => {
    const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
    async function* source(): AsyncGenerator<number> {
      await turn();
      pass(1);
      yield 0;
      // The first is still at work.
      await turn();
      pass(10);
      yield 1;
      await turns(10);
      pass(100);
      yield 2;
      await turns(10);
      pass(1_000);
    }
    const stood: number[] = [];
    const work = new Work([5, 0, 0]);
    await collected(inOrder(source(), 2, work.on, (ms) => stood.push(ms)));
    expect(stood.reduce((sum, ms) => sum + ms)).toBeCloseTo(1_101, 6);
  });
});

describe("a stream that is worked on ahead ends", () => {
  const failing = clip
    .filter((items) => items.length > 0)
    .chain((items) => fc.record({ items: fc.constant(items), at: fc.nat(items.length - 1), most: ahead }));

  it("with the work's error, after the results before it, and returns the source", async () => {
    await fc.assert(
      fc.asyncProperty(failing, async ({ items, at, most }) => {
        const source = new Source(items.map(([delay]) => delay));
        const work = new Work(
          items.map(([, delay]) => delay),
          at,
        );
        const results: string[] = [];
        await expect(async () => {
          for await (const result of inOrder(source, most, work.on)) results.push(result);
        }).rejects.toThrow("the model failed");
        expect(results).toEqual(frames(at));
        expect([work.now, source.returned]).toEqual([0, 1]);
      }),
    );
  });

  it("with the source's error, and no result after it", async () => {
    await fc.assert(
      fc.asyncProperty(failing, async ({ items, at, most }) => {
        const source = new Source(
          items.map(([delay]) => delay),
          at,
        );
        const work = new Work(items.map(([, delay]) => delay));
        const results: string[] = [];
        await expect(async () => {
          for await (const result of inOrder(source, most, work.on)) results.push(result);
        }).rejects.toThrow("the video is damaged");
        expect(frames(at).slice(0, results.length)).toEqual(results);
        expect([work.now, source.returned]).toEqual([0, 1]);
      }),
    );
  });

  it("stops and returns the source when its reader stops", async () => {
    await fc.assert(
      fc.asyncProperty(failing, async ({ items, at, most }) => {
        const source = new Source(items.map(([delay]) => delay));
        // The rest of the work may fail unnoticed.
        const work = new Work(
          items.map(([, delay]) => delay),
          at + 1,
        );
        const results: string[] = [];
        for await (const result of inOrder(source, most, work.on)) {
          results.push(result);
          if (results.length === at + 1) break;
        }
        expect(results).toEqual(frames(at + 1));
        expect([work.now, source.returned]).toEqual([0, 1]);
        expect(source.given).toBeLessThanOrEqual(at + 1 + most + 1);
      }),
    );
  });
});
