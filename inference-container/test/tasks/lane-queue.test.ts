import fc from "fast-check";
import { expect, test } from "vitest";
import { LaneQueue, type Queued } from "../../src/tasks/lane-queue.ts";

interface Waiting extends Queued {
  readonly name: string;
}

const task = (name: string, account: string, acceptedAt: number): Waiting => ({
  name,
  lane: "interactive",
  type: "image",
  account,
  acceptedAt,
});

/** A line with these tasks, which came in this order. */
function lineOf(capacity: number, tasks: readonly Waiting[]): LaneQueue<Waiting> {
  const line = new LaneQueue<Waiting>(capacity);
  for (const each of tasks) line.add(each);
  return line;
}

/** The names of the tasks that leave, one after another. */
function leaving(line: LaneQueue<Waiting>): string[] {
  const names: string[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) names.push(next.name);
  return names;
}

/** Gives an account this many of the last places. */
function serve(line: LaneQueue<Waiting>, account: string, times: number): void {
  for (let i = 0; i < times; i++) {
    line.add(task("served", account, 0));
    line.next();
  }
}

test("the oldest task goes first, however late it came, and among equally old ones the first that came", () => {
  const tasks = [task("b", "1", 20), task("d", "2", 30), task("a", "3", 10), task("c", "4", 20)];
  expect(leaving(lineOf(4, tasks))).toEqual(["a", "b", "c", "d"]);
});

test("two tasks of each account go by age, then the next four of each, then the next eight", () => {
  const a = Array.from({ length: 20 }, (_, i) => task(`a${i}`, "a", i));
  const b = Array.from({ length: 8 }, (_, i) => task(`b${i}`, "b", 100 + i));
  const names = leaving(lineOf(28, [...a, ...b]));
  const turns = [
    ["a0", "a1", "b0", "b1"],
    ["a2", "a3", "a4", "a5", "b2", "b3", "b4", "b5"],
  ];
  expect(names.slice(0, 12)).toEqual(turns.flat());
  // From here on their last places count too, in equal parts.
  expect(names.slice(12).filter((name) => name.startsWith("b"))).toEqual(["b6", "b7"]);
});

test("the tasks of one account alone go by age", () => {
  const tasks = [task("3", "a", 3), task("1", "a", 1), task("2", "a", 2)];
  expect(leaving(lineOf(3, tasks))).toEqual(["1", "2", "3"]);
});

test.for([
  [2, 46, "b"],
  [2, 47, "a"],
  [1, 1, "a"],
] as const)(
  "an account that had %i places lately, and %i others after it: %s goes first",
  ([places, others, first]) => {
    const line = new LaneQueue<Waiting>(2);
    serve(line, "a", places);
    for (let i = 0; i < others; i++) serve(line, `other ${i}`, 1);
    line.add(task("a", "a", 1));
    line.add(task("b", "b", 2));
    expect(line.next()?.name).toBe(first);
  },
);

test("a full line turns the youngest away, whether it waits or comes", () => {
  const line = lineOf(2, [task("old", "a", 10), task("young", "b", 30)]);
  expect(line.isFull).toBe(true);
  const younger = task("younger", "c", 40);
  expect(line.add(younger)).toBe(younger);
  expect(line.add(task("older", "d", 20))?.name).toBe("young");
  expect(line.length).toBe(2);
  expect(leaving(line)).toEqual(["old", "older"]);
});

test("a full line turns away the last arrival if all are equally old", () => {
  const line = lineOf(1, [task("first", "a", 10)]);
  const second = task("second", "b", 10);
  expect(line.add(second)).toBe(second);
});

test("an account that fills the line keeps no other out, however much older its tasks are", () => {
  const line = lineOf(4, [task("a1", "a", 1), task("a2", "a", 2), task("a3", "a", 3), task("a4", "a", 4)]);
  expect(line.add(task("b1", "b", 99))?.name).toBe("a4");
  expect(line.add(task("c1", "c", 100))?.name).toBe("a3");
  const late = task("d1", "d", 101);
  expect(line.add(late)).toBe(late);
  expect(leaving(line)).toEqual(["a1", "a2", "b1", "c1"]);
});

test("a task that is removed gives its room to others", () => {
  const gone = task("gone", "a", 1);
  const line = lineOf(1, [gone]);
  line.remove(gone);
  expect([line.length, line.isFull, line.next()]).toEqual([0, false, undefined]);
  expect(line.add(task("next", "a", 2))).toBeUndefined();
});

test("for any arrivals and departures, the line keeps its bound, loses nothing, and an account that has had two places waits for those that had none", () => {
  const event = fc.record({
    leaves: fc.boolean(),
    account: fc.constantFrom("a", "b", "c", "d"),
    acceptedAt: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), ([...events]) => {
      const line = new LaneQueue<Waiting>(5);
      const waiting = new Set<Waiting>();
      const served: string[] = [];
      for (const [index, { leaves, account, acceptedAt }] of events.entries()) {
        if (leaves) {
          const next = line.next();
          expect(next === undefined).toBe(waiting.size === 0);
          if (next === undefined) continue;
          expect(waiting.delete(next)).toBe(true);
          const places = served.slice(-48).filter((each) => each === next.account).length;
          const isNew = (each: Waiting): boolean => !served.slice(-48).includes(each.account);
          if ([...waiting].some(isNew)) expect(places).toBeLessThan(2);
          served.push(next.account);
          continue;
        }
        const came = task(String(index), account, acceptedAt);
        waiting.add(came);
        const left = line.add(came);
        expect(left === undefined).toBe(waiting.size <= 5);
        if (left !== undefined) expect(waiting.delete(left)).toBe(true);
        expect(line.length).toBe(waiting.size);
      }
    }),
  );
});
