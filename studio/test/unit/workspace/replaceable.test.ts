import { describe, expect, it } from "vitest";
import { LastingError, MOST_FAILURES, Replaceable } from "../../../src/workspace/decoding/replaceable.ts";

const OWNER = "ann";

/** Loads what works from the given load on, and counts. */
function loads({ worksFrom = Number.POSITIVE_INFINITY, error = new Error("503") }) {
  const count = { loaded: 0, closed: 0 };
  const replaceable = new Replaceable(async (_owner: string) => {
    count.loaded += 1;
    if (count.loaded < worksFrom) throw error;
    return { close: () => (count.closed += 1), number: count.loaded };
  });
  const use = () => replaceable.use(OWNER, async ({ number }) => number);
  return { count, replaceable, use };
}

describe("what is replaced after a failure", () => {
  it("is loaded again at the next use, and then kept", async () => {
    const { use } = loads({ worksFrom: 2 });
    await expect(use()).rejects.toThrow("503");
    expect([await use(), await use()]).toEqual([2, 2]);
  });

  it("is closed and replaced if it fails in use", async () => {
    const { count, replaceable, use } = loads({ worksFrom: 1 });
    const failing = replaceable.use(OWNER, async () => await Promise.reject(new Error("no memory")));
    await expect(failing).rejects.toThrow("no memory");
    expect(await use()).toBe(2);
    expect(count.closed).toBe(1);
  });

  it("counts one failure, however many have used it", async () => {
    const { count, replaceable, use } = loads({ worksFrom: 2 });
    await Promise.allSettled(Array.from({ length: MOST_FAILURES }, use));
    expect(count.loaded).toBe(1);
    expect(replaceable.isGivenUp.value).toBe(false);
  });

  it("is given up after some failures in a row", async () => {
    const { replaceable, use } = loads({});
    for (let i = 1; i < MOST_FAILURES; i += 1) await expect(use()).rejects.toThrow();
    expect(replaceable.isGivenUp.value).toBe(false);
    replaceable.noteSuccess();
    for (let i = 1; i < MOST_FAILURES; i += 1) await expect(use()).rejects.toThrow();
    expect(replaceable.isGivenUp.value).toBe(false);
    await expect(use()).rejects.toThrow();
    expect(replaceable.isGivenUp.value).toBe(true);
  });

  it("is given up at once after a failure that lasts", async () => {
    const { count, replaceable, use } = loads({ error: new LastingError("no WebAssembly") });
    await expect(use()).rejects.toThrow();
    expect(replaceable.isGivenUp.value).toBe(true);
    await expect(use()).rejects.toThrow("not tried again");
    expect(count.loaded).toBe(1);
  });

  it("is another one for another owner", async () => {
    const { replaceable, use } = loads({ worksFrom: 1 });
    await use();
    expect(await replaceable.use("ben", async ({ number }) => number)).toBe(2);
  });
});
