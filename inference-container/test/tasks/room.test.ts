import fc from "fast-check";
import { expect, test } from "vitest";
import { Lanes } from "../../src/tasks/lanes.ts";
import type { Queued } from "../../src/tasks/lane-queue.ts";

const someTask: fc.Arbitrary<Queued> = fc.record({
  lane: fc.constantFrom("interactive", "bulk"),
  type: fc.constantFrom("image", "video"),
  account: fc.constantFrom("a", "b", "c"),
  acceptedAt: fc.integer({ min: 1, max: 50 }),
});

test("offered tasks find the reported room, and a question for it changes nothing", () => {
  const tasks = fc.array(someTask, { maxLength: 30 });
  fc.assert(
    fc.property(
      tasks,
      fc.array(someTask, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 6 }),
      (before, asked, capacity) => {
        const lanes = new Lanes<Queued>(capacity);
        for (const task of before) lanes.add({ ...task });
        const reported = lanes.room(asked, 0);
        expect(lanes.room(asked, 0)).toEqual(reported);

        const offered = asked.map((task) => ({ ...task }));
        const displaced = new Set(offered.map((task) => lanes.add(task)));
        expect(reported).toEqual(offered.map((task) => !displaced.has(task)));
      },
    ),
  );
});

test("pictures also find the free places, and videos do not", () => {
  const lanes = new Lanes<Queued>(2);
  const ask = (type: "image" | "video", count: number, free: number): number =>
    lanes
      .room(
        Array.from({ length: count }, (_, i) => ({ lane: "bulk", type, account: "a", acceptedAt: i + 1 })),
        free,
      )
      .filter(Boolean).length;
  expect([ask("image", 10, 0), ask("image", 10, 3), ask("video", 10, 3)]).toEqual([2, 5, 2]);
});
