import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Region } from "../../../studio/src/viewer/types.ts";
import {
  drawnOf,
  lastOf,
  nextToDraw,
  pointedAt,
  type PointedObject,
  takenUp,
  undone,
  withAttempt,
  without,
} from "../../../studio/src/work/pointed.ts";

const box: Region = { box: [1, 2, 3, 4] };
const point: Region = { points: [{ x: 1, y: 2, label: 1 }] };
const finer: Region = { points: [...point.points, { x: 5, y: 6, label: 0 }] };

function nth(objects: readonly PointedObject[], i: number): PointedObject {
  const object = objects[i];
  if (object === undefined) throw new Error(`There is no object ${i}.`);
  return object;
}

const two = pointedAt(pointedAt([], "a", point, false), "a", box, false);

describe("objects that are pointed at", () => {
  it("are drawn in the order in which they were pointed at", () => {
    expect(nextToDraw(two)?.object.number).toBe(1);
    expect(nextToDraw(withAttempt(two, 1, { state: "running" }))?.object.number).toBe(2);
    expect(
      nextToDraw(withAttempt(withAttempt(two, 1, { state: "drawn" }), 2, { state: "failed" })),
    ).toBeNull();
  });

  it("take a further point on the latest object of that picture", () => {
    const more = pointedAt(pointedAt(two, "b", point, false), "a", finer, true);
    expect(more.map(({ attempts }) => attempts.length)).toEqual([1, 2, 1]);
    expect(lastOf(nth(more, 1)).region).toBe(finer);
  });

  it("draw only the last of several points that came before there was time", () => {
    const one = pointedAt(pointedAt([], "a", point, false), "a", finer, true);
    expect(nextToDraw(one)?.attempt.region).toBe(finer);
    expect(nextToDraw(withAttempt(one, 2, { state: "drawn" }))).toBeNull();
  });

  it("show the mask before until the next is drawn", () => {
    const objects = withAttempt(pointedAt(pointedAt([], "a", point, false), "a", finer, true), 1, {
      state: "drawn",
    });
    expect(drawnOf(nth(objects, 0))?.number).toBe(1);
    expect(drawnOf(nth(two, 0))).toBeNull();
  });

  it("go back one point at a time, and only in that picture", () => {
    const more = pointedAt(two, "a", finer, true);
    const first = undone(more, "a");
    expect(first.taken?.region).toBe(finer);
    expect(first.objects).toEqual(two);
    expect(undone(more, "b")).toEqual({ objects: more, taken: null });
  });

  it("are all gone after as many steps back as there were points, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.boolean())), (steps) => {
        let objects: readonly PointedObject[] = [];
        for (const [picture, replaces] of steps) objects = pointedAt(objects, picture, point, replaces);
        for (const [picture] of steps) objects = undone(objects, picture).objects;
        expect(objects).toEqual([]);
      }),
    );
  });

  it("keep their numbers when another one goes", () => {
    const [, second] = two;
    expect(without(two, 1)).toEqual([second]);
    expect(pointedAt(without(two, 1), "a", box, false).at(-1)?.number).toBe(3);
  });

  it("may come from a job that was created earlier, whose region isn't known", () => {
    const taken = takenUp([], "a", "job_1");
    expect(lastOf(nth(taken, 0))).toMatchObject({ number: 1, region: null, jobId: "job_1" });
    // Its mask is fetched in its turn.
    expect(nextToDraw(taken)?.attempt.jobId).toBe("job_1");
  });

  it("have a key each, so that none makes two jobs", () => {
    const keys = pointedAt(two, "a", finer, true).flatMap(({ attempts }) => attempts.map(({ key }) => key));
    expect(new Set(keys).size).toBe(3);
  });
});
