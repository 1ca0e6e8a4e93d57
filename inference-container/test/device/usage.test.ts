import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Stage, Usage } from "../../src/device/usage.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function recorder() {
  const stages: Stage[] = [];
  return { stages, at: (stage: Stage) => stages.push(stage) };
}

describe("a task's use of the device", () => {
  it("is waiting, then the model, then busy with its own", () => {
    const { stages, at } = recorder();
    const usage = new Usage(undefined, at);
    usage.asked();
    usage.began();
    usage.ended(12);
    expect(stages).toEqual(["waiting", "model", "busy"]);
    expect(usage.ms).toBe(12);
  });

  it("counts each of its runs whole, and its parts' runs too", () => {
    const whole = new Usage();
    const parts = [new Usage(whole), new Usage(whole)];
    for (const part of parts) {
      part.asked();
      part.began();
    }
    for (const [i, part] of parts.entries()) part.ended(10 * (i + 1));
    expect([whole, ...parts].map(({ ms }) => ms)).toEqual([30, 10, 20]);
  });

  it("counts as model time if any part has the device, and as waiting only if none has", () => {
    const { stages, at } = recorder();
    const whole = new Usage(undefined, at);
    const [one, other] = [new Usage(whole), new Usage(whole)];
    one.asked();
    other.asked();
    one.began();
    one.ended(1);
    other.began();
    one.asked();
    other.ended(1);
    one.began();
    one.ended(1);
    expect(stages).toEqual([
      "waiting",
      "waiting",
      "model",
      "waiting",
      "model",
      "model",
      "waiting",
      "model",
      "busy",
    ]);
  });

  it("waits only while nothing of it has the device", () => {
    const whole = new Usage();
    const [one, other] = [new Usage(whole), new Usage(whole)];
    const pass = (ms: number) => vi.advanceTimersByTime(ms);
    pass(1);
    one.asked();
    pass(10);
    one.began();
    other.asked();
    pass(100);
    one.ended(100);
    pass(1_000);
    other.began();
    pass(10_000);
    other.ended(10_000);
    pass(100_000);
    expect([whole, one, other].map(({ waitedMs }) => Math.round(waitedMs))).toEqual([1_010, 10, 1_100]);
  });

  it("is older the earlier it began, for any part", () => {
    const works = [new Usage(), new Usage(new Usage()), new Usage()].map(({ work }) => work);
    expect(works).toEqual(works.toSorted((a, b) => a - b));
    expect(new Set(works).size).toBe(3);
  });

  it("ends busy for any order of its parts' runs", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 60 }), (picks) => {
        const { stages, at } = recorder();
        const whole = new Usage(undefined, at);
        const runs = Array.from({ length: 6 }, () => ({ usage: new Usage(whole), step: 0 }));
        const steps = [
          (usage: Usage) => usage.asked(),
          (usage: Usage) => usage.began(),
          (usage: Usage) => usage.ended(1),
        ];
        const move = (run: (typeof runs)[number]): void => {
          steps[run.step % 3]?.(run.usage);
          run.step += 1;
          const now = new Set(runs.map(({ step }) => step % 3));
          expect(stages.at(-1)).toBe(now.has(2) ? "model" : now.has(1) ? "waiting" : "busy");
        };
        for (const pick of picks) for (const run of runs.slice(pick % 6, (pick % 6) + 1)) move(run);
        for (const run of runs) while (run.step % 3 !== 0) move(run);
        if (picks.length > 0) expect(stages.at(-1)).toBe("busy");
      }),
    );
  });
});
