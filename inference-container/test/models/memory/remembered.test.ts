import * as fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Stage, Usage } from "../../../src/device/usage.ts";
import { Remembered } from "../../../src/models/memory/remembered.ts";
import { Counted } from "../../support/device/counted.ts";

function memoryOf(budget: number): Remembered<Counted> {
  return new Remembered<Counted>(budget, {
    sizeOf: ({ size }) => size,
    share: (value) => value.share(),
    drop: (value) => value.drop(),
  });
}

/** A memory of values of size 1, and the number of its computations. */
function asked(budget: number) {
  const memory = memoryOf(budget);
  let computed = 0;
  const get = (key: string | null) =>
    memory.get(key, new Usage(), async () => {
      computed += 1;
      await turn();
      return new Counted(1);
    });
  return { memory, get, computed: () => computed };
}

describe("a remembered result", () => {
  it("is computed once for concurrent and later callers", async () => {
    const { get, computed } = asked(10);
    const all = await Promise.all([get("a"), get("a"), get("a")]);
    all.push(await get("a"));
    expect(computed()).toBe(1);
    expect(new Set(all.map(({ value }) => value)).size).toBe(1);
    expect(all.map(({ cached }) => cached)).toEqual([false, true, true, true]);
  });

  it("is identified by its key", async () => {
    const { get, computed } = asked(10);
    const [a, b] = await Promise.all([get("a"), get("b")]);
    expect(a.value).not.toBe(b.value);
    expect(computed()).toBe(2);
  });

  it("is not kept under a null key", async () => {
    const { get, computed } = asked(10);
    const all = await Promise.all([get(null), get(null)]);
    all.push(await get(null));
    expect(computed()).toBe(3);
    expect(all.map(({ cached }) => cached)).toEqual([false, false, false]);
    for (const { value } of all) {
      value.drop();
      expect(value.gone).toBe(true);
    }
  });

  it("is kept with a budget of 0 only until its users release it", async () => {
    const { get, computed } = asked(0);
    const [first, second] = await Promise.all([get("a"), get("a")]);
    expect(second.value).toBe(first.value);
    first.value.drop();
    expect(second.value.gone).toBe(false);
    second.value.drop();
    expect(second.value.gone).toBe(true);
    expect((await get("a")).cached).toBe(false);
    expect(computed()).toBe(2);
  });

  it("stays for waiting callers, even if the first releases it at once and nothing is kept", async () => {
    const { get } = asked(0);
    const uses = [get("a"), get("a"), get("a")].map(async (asking) => {
      const { value } = await asking;
      expect(value.gone).toBe(false);
      value.drop();
      return value;
    });
    expect((await Promise.all(uses)).map(({ gone }) => gone)).toEqual([true, true, true]);
  });

  it("is forgotten by a clear, but stays with its users", async () => {
    const { memory, get, computed } = asked(10);
    const { value } = await get("a");
    memory.clear();
    expect(value.gone).toBe(false);
    await get("a");
    expect(computed()).toBe(2);
  });
});

describe("a failure", () => {
  it("reaches all waiting callers and is not kept", async () => {
    const memory = memoryOf(10);
    const failing = () => memory.get("a", new Usage(), () => Promise.reject(new Error("out of memory")));
    const outcomes = await Promise.allSettled([failing(), failing(), failing()]);
    expect(outcomes).toEqual(
      Array.from({ length: 3 }, () => ({ status: "rejected", reason: new Error("out of memory") })),
    );
    const { value, cached } = await memory.get("a", new Usage(), () => Promise.resolve(new Counted(1)));
    expect([value.gone, cached]).toEqual([false, false]);
  });
});

describe("a waiter for another's computation", () => {
  it.each([
    ["is given", (computed: PromiseWithResolvers<Counted>) => computed.resolve(new Counted(1))],
    ["fails", (computed: PromiseWithResolvers<Counted>) => computed.reject(new Error("a graph failed"))],
  ])("waits for a turn with the device, until it %s", async (_, end) => {
    const memory = memoryOf(10);
    const computed = Promise.withResolvers<Counted>();
    const first = memory.get("a", new Usage(), () => computed.promise);
    const stages: Stage[] = [];
    const usage = new Usage(undefined, (stage) => stages.push(stage));
    const second = memory.get("a", usage, () => Promise.reject(new Error("computed twice")));
    expect(stages).toEqual(["waiting"]);
    end(computed);
    await Promise.allSettled([first, second]);
    expect([stages.at(-1), usage.ms]).toEqual(["busy", 0]);
  });
});

describe("if the first requester gives up", () => {
  it("is computed by one waiting caller for all of them", async () => {
    const memory = memoryOf(10);
    const controller = new AbortController();
    const gone = Promise.withResolvers<Counted>();
    const first = memory.get("a", new Usage(undefined, undefined, controller.signal), () => gone.promise);
    let computed = 0;
    const others = [1, 2].map(() =>
      memory.get("a", new Usage(), () => {
        computed += 1;
        return Promise.resolve(new Counted(1));
      }),
    );
    controller.abort(new Error("cancelled"));
    gone.reject(controller.signal.reason);
    await expect(first).rejects.toThrow("cancelled");
    const [second, third] = await Promise.all(others);
    expect(computed).toBe(1);
    expect(second?.value).toBe(third?.value);
  });
});

/** Events of a memory; numbers choose among its keys. */
const event = fc.oneof(
  fc.record({
    do: fc.constant("get"),
    key: fc.constantFrom("a", "b", "c", null),
    size: fc.integer({ min: 1, max: 5 }),
    keptFor: fc.constantFrom("a moment", "a while"),
  }),
  fc.record({
    do: fc.constantFrom("compute" as const, "fail" as const, "let go" as const),
    which: fc.nat(20),
  }),
  fc.record({ do: fc.constantFrom("clear" as const, "wait" as const), which: fc.constant(0) }),
);

describe("every value", () => {
  it("is released exactly once by the memory and by each user", async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): number => unhandled.push(reason);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), fc.nat(8), async (events, budget) => {
        const memory = memoryOf(budget);
        const made: Counted[] = [];
        const computing: { readonly give: () => void; readonly fail: () => void }[] = [];
        const inUse: Counted[] = [];
        const asking: Promise<void>[] = [];
        const faults: unknown[] = [];
        const failure = new Error("a graph failed");

        const compute = (size: number) => {
          const { promise, resolve, reject } = Promise.withResolvers<Counted>();
          const give = (): void => {
            const value = new Counted(size);
            made.push(value);
            resolve(value);
          };
          computing.push({ give, fail: () => reject(failure) });
          return promise;
        };
        const get = async (key: string | null, size: number, keptFor: string): Promise<void> => {
          try {
            const { value } = await memory.get(key, new Usage(), () => compute(size));
            if (value.gone) faults.push("handed out what is gone");
            if (keptFor === "a moment") value.drop();
            else inUse.push(value);
          } catch (error) {
            if (error !== failure) faults.push(error);
          }
        };
        for (const step of events) {
          if (step.do === "get") asking.push(get(step.key, step.size, step.keptFor));
          else if (step.do === "clear") memory.clear();
          else if (step.do === "wait") await turn();
          else if (step.do === "let go") inUse.splice(step.which % Math.max(1, inUse.length), 1)[0]?.drop();
          else {
            const [one] = computing.splice(step.which % Math.max(1, computing.length), 1);
            if (step.do === "fail") one?.fail();
            else one?.give();
          }
          expect(inUse.every(({ gone }) => !gone)).toBe(true);
        }
        for (const { give } of computing) give();
        await Promise.all(asking);
        for (const value of inUse) value.drop();
        memory.clear();
        expect(faults).toEqual([]);
        expect(made.every(({ gone }) => gone)).toBe(true);
      }),
    );
    await turn();
    expect(unhandled).toEqual([]);
  });
});
