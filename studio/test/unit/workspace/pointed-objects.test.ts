import fc from "fast-check";
import { LIMITS } from "segmentation-client";
import { describe, expect, it } from "vitest";
import type { Region } from "../../../src/viewer/types.ts";
import {
  correctedBy,
  costsUnit,
  drawnOf,
  inPath,
  isTooUnsure,
  lastOf,
  latestAttempt,
  nextToDraw,
  keptIn,
  newIn,
  objectFor,
  type Pending,
  pointedAt,
  type PointedObject,
  refinedOf,
  regionOn,
  type TakenBack,
  takenBack,
  takenUp,
  undone,
  unsent,
  withAttempt,
  withOther,
} from "../../../src/workspace/rules/pointed-objects.ts";

const box: Region = { box: [1, 2, 3, 4] };
const point: Region = { points: [{ x: 1, y: 2, label: 1 }] };
const finer: Region = { points: [...point.points, { x: 5, y: 6, label: 0 }] };

function nth(objects: readonly PointedObject[], i: number): PointedObject {
  const object = objects[i];
  if (object === undefined) throw new Error(`There is no object ${i}.`);
  return object;
}

const numbersOf = (pending: readonly Pending[] | null) => pending?.map(({ attempt }) => attempt.number);

const two = pointedAt(pointedAt([], "a", point, "new"), "a", box, "new");

describe("objects that are pointed at", () => {
  it("are dropped below 25 percent, unless the threshold is lower", () => {
    const dropped = (threshold: number | null) =>
      [0.04, 0.11, 0.24, 0.25, 0.6].filter((confidence) => isTooUnsure(confidence, threshold));
    expect(dropped(null)).toEqual([0.04, 0.11, 0.24]);
    expect(dropped(0.9)).toEqual([0.04, 0.11, 0.24]);
    expect(dropped(0.1)).toEqual([0.04]);
  });

  it("have the class that was active, even after a correction", () => {
    const one = pointedAt([], "a", point, "new", "cup");
    const corrected = pointedAt(one, "a", finer, "latest", "spoon");
    expect(nth(corrected, 0).attempts.map(({ label }) => label)).toEqual(["cup", "cup"]);
    expect(pointedAt(corrected, "a", box, "new", "spoon").map((each) => lastOf(each).label)).toEqual([
      "cup",
      "spoon",
    ]);
  });

  it("are drawn in the order in which they were pointed at", () => {
    expect(numbersOf(nextToDraw(two))).toEqual([1, 2]);
    expect(numbersOf(nextToDraw(withAttempt(two, 1, { state: "running" })))).toEqual([2]);
    expect(
      nextToDraw(withAttempt(withAttempt(two, 1, { state: "drawn" }), 2, { state: "failed" })),
    ).toBeNull();
  });

  it("take a further point on the latest object of that picture", () => {
    const more = pointedAt(pointedAt(two, "b", point, "new"), "a", finer, "latest");
    expect(more.map(({ attempts }) => attempts.length)).toEqual([1, 2, 1]);
    expect(lastOf(nth(more, 1)).region).toBe(finer);
  });

  it("draw only the last of several quick points", () => {
    const one = pointedAt(pointedAt([], "a", point, "new"), "a", finer, "latest");
    expect(nextToDraw(one)?.map(({ attempt }) => attempt.region)).toEqual([finer]);
    expect(nextToDraw(withAttempt(one, 2, { state: "drawn" }))).toBeNull();
  });

  it("show the mask before until the next is drawn", () => {
    const objects = withAttempt(pointedAt(pointedAt([], "a", point, "new"), "a", finer, "latest"), 1, {
      state: "drawn",
    });
    expect(drawnOf(nth(objects, 0))?.number).toBe(1);
    expect(drawnOf(nth(two, 0))).toBeNull();
  });

  it("go back one point at a time, and only in that picture", () => {
    const more = pointedAt(two, "a", finer, "latest");
    const first = undone(more, "a", []);
    expect(first.taken?.attempt.region).toBe(finer);
    expect(first.objects).toEqual(two);
    expect(undone(more, "b", [])).toEqual({ objects: more, taken: null });
  });

  it("are pointed at again as before: a further point of an object, or a new one", () => {
    const more = pointedAt(two, "a", finer, "latest");
    let objects = more;
    const again: TakenBack[] = [];
    for (let step = 0; step < 3; step++) {
      const { objects: left, taken } = undone(objects, "a", []);
      const back = taken && takenBack(taken.object, taken.attempt, 0);
      if (back !== null) again.push(back);
      objects = left;
    }
    expect(objects).toEqual([]);
    for (const { picture, region, purpose } of again.toReversed())
      objects = pointedAt(objects, picture, region, purpose);
    expect(objects.map(({ attempts }) => attempts.map(({ region }) => region))).toEqual(
      more.map(({ attempts }) => attempts.map(({ region }) => region)),
    );
  });

  it("are all gone after as many steps back as there were points, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.boolean())), (steps) => {
        let objects: readonly PointedObject[] = [];
        for (const [picture, replaces] of steps)
          objects = pointedAt(objects, picture, point, replaces ? "latest" : "new");
        for (const [picture] of steps) objects = undone(objects, picture, []).objects;
        expect(objects).toEqual([]);
      }),
    );
  });

  it("may come from an earlier job with an unknown region", () => {
    const taken = takenUp([], "a", { jobId: "job_1", continues: null });
    expect(lastOf(nth(taken, 0))).toMatchObject({ number: 1, region: null, jobId: "job_1" });
    // Its mask is fetched in its turn.
    expect(nextToDraw(taken)?.map(({ attempt }) => attempt.jobId)).toEqual(["job_1"]);
  });

  it("may be several of one job: each mask is a separate, known object", () => {
    const taken = withAttempt(takenUp([], "a", { jobId: "job_1", continues: null }), 1, {
      state: "drawn",
      maskIndex: 0,
    });
    const all = withOther(taken, nth(taken, 0), lastOf(nth(taken, 0)), 1);
    expect(all.map((object) => [object.number, lastOf(object).number, lastOf(object).maskIndex])).toEqual([
      [1, 1, 0],
      [2, 2, 1],
    ]);
    expect(nextToDraw(all)).toBeNull();
  });

  it("have a key each, so none makes two jobs", () => {
    const keys = pointedAt(two, "a", finer, "latest").flatMap(({ attempts }) =>
      attempts.map(({ key }) => key),
    );
    expect(new Set(keys).size).toBe(3);
  });
});

/** Objects that the browser has drawn in a picture, none of them kept. */
function fresh(
  count: number,
  picture = "a",
  before: readonly PointedObject[] = [],
): readonly PointedObject[] {
  let objects = before;
  for (let i = 0; i < count; i++) {
    objects = pointedAt(objects, picture, point, "new", null, "new");
    objects = withAttempt(objects, latestAttempt(objects), { isDecoded: true, corrects: null });
  }
  return objects;
}

describe("objects that the browser has drawn", () => {
  it("need no request until they are kept; then one job draws all of their picture", () => {
    const objects = fresh(2, "b", fresh(10));
    expect(nextToDraw(objects)).toBeNull();
    expect(newIn(objects, "a")).toHaveLength(10);
    const kept = keptIn(objects, "a");
    expect(numbersOf(nextToDraw(kept))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(newIn(kept, "a")).toEqual([]);
    expect(newIn(kept, "b")).toHaveLength(2);
  });

  it("are drawn by several jobs if one has no room for so many regions", () => {
    expect(nextToDraw(keptIn(fresh(LIMITS.regions + 1), "a"))).toHaveLength(LIMITS.regions);
  });

  it("are requested again unchanged: by their key, without later ones", () => {
    let objects = keptIn(fresh(3), "a");
    for (const number of [1, 2]) objects = withAttempt(objects, number, { key: "k", continues: null });
    expect(numbersOf(nextToDraw(objects))).toEqual([1, 2]);
  });

  it("cost a unit, but corrections of a mask that a job has drawn do not, and have a job each", () => {
    const saved = withAttempt(withAttempt(two, 1, { state: "drawn", jobId: "job_1", maskIndex: 0 }), 2, {
      state: "drawn",
      jobId: "job_2",
      maskIndex: 0,
    });
    let corrected = pointedAt(pointedAt(saved, "a", finer, 1, null, "new"), "a", finer, 2, null, "new");
    for (const number of [3, 4]) corrected = withAttempt(corrected, number, { isDecoded: true });
    expect(costsUnit(newIn(corrected, "a"))).toBe(false);
    expect(costsUnit(newIn(fresh(1, "a", corrected), "a"))).toBe(true);
    expect(numbersOf(nextToDraw(keptIn(corrected, "a")))).toEqual([3]);
  });

  it("are kept as drawn, even if their first mask has been saved meanwhile", () => {
    const begun = withAttempt(pointedAt([], "a", point, "new"), 1, { state: "running" });
    const further = withAttempt(pointedAt(begun, "a", finer, "latest", null, "new"), 2, {
      isDecoded: true,
      corrects: null,
    });
    const saved = withAttempt(further, 1, { state: "drawn", jobId: "job_1", maskIndex: 0 });
    expect(correctedBy(nth(saved, 0), lastOf(nth(saved, 0)))).toBeNull();
  });

  it("are seen while they are kept, and new again if that fails", () => {
    const [object] = withAttempt(fresh(1), 1, { state: "running", jobId: "job_1", continues: null });
    expect(object && drawnOf(object)?.number).toBe(1);
    const again = object && unsent(lastOf(object));
    expect(again).toMatchObject({ state: "new", jobId: null, isDecoded: true, region: point });
    expect(again).not.toHaveProperty("continues");
    expect(again?.key).not.toBe(object?.attempts[0].key);
  });

  it("can be undone one by one until they are kept together", () => {
    const objects = fresh(3);
    expect(undone(objects, "a", []).objects).toEqual(objects.slice(0, 2));
    const kept = [1, 2, 3].reduce<readonly PointedObject[]>(
      (all, number) => withAttempt(all, number, { key: "k", jobId: "job_1" }),
      keptIn(objects, "a"),
    );
    expect(undone(kept, "a", [])).toEqual({ objects: kept, taken: null });
    expect(undone(fresh(1, "a", kept), "a", []).objects).toEqual(kept);
  });
});

describe("a mask that is corrected by pointing at it", () => {
  const cup = { object: "job_1/cup.png/3", jobId: "job_1", maskIndex: 3 };
  const once = pointedAt(two, "a", point, cup);
  const drawn = withAttempt(once, lastOf(nth(once, 2)).number, { state: "drawn", jobId: "job_2" });
  const twice = pointedAt(drawn, "a", finer, cup);

  it("is one object after any number of points, and no other object changes", () => {
    expect(twice).toHaveLength(3);
    expect(nth(twice, 2)).toMatchObject({ refines: cup, attempts: [{ region: point }, { region: finer }] });
    expect(twice.slice(0, 2)).toEqual(two);
    // Shift adds to an object that no search had found.
    expect(objectFor(twice, "a", "latest")?.number).toBe(2);
    expect(objectFor(twice, "b", cup)).toBeUndefined();
  });

  it("is corrected from the found mask first, then from the latest one", () => {
    const [first, second] = nth(twice, 2).attempts;
    expect(correctedBy(nth(twice, 2), first)).toEqual({ jobId: "job_1", maskIndex: 3 });
    expect(second && correctedBy(nth(twice, 2), second)).toEqual({ jobId: "job_2", maskIndex: 0 });
    // An object that nothing had found costs a unit, and its further points cost nothing.
    const [own] = nth(two, 0).attempts;
    expect(correctedBy(nth(two, 0), own)).toBeNull();
  });

  it("is an example for all objects like it, and corrects nothing", () => {
    const objects = pointedAt(two, "a", { ...box, findAll: true }, 1);
    const object = nth(objects, 0);
    expect(object.attempts).toHaveLength(2);
    expect(correctedBy(object, lastOf(object))).toBeNull();
    expect(regionOn("a.png", { ...box, findAll: true })).toEqual({
      taskId: "a.png",
      box: [1, 2, 3, 4],
      findAll: true,
    });
  });

  it("has its found mask again once all points are undone, while its search is shown", () => {
    const back = undone(undone(twice, "a", ["job_1"]).objects, "a", ["job_1"]).objects;
    expect(back).toEqual(two);
    // Another search does not show it: the other pointed objects are undone.
    expect(undone(twice, "a", ["job_9"]).taken?.attempt.region).toBe(box);
  });

  it("is known again from the jobs alone, each further point as an attempt at the same object", () => {
    const chain: readonly [jobId: string, refines: string | null][] = [
      ["job_2", "job_1/cup.png/3"],
      ["job_3", null],
      ["job_4", "job_2/cup.png/0"],
      ["job_5", "job_3/cup.png/0"],
      ["job_6", "job_1/cup.png/3"],
    ];
    let objects: readonly PointedObject[] = [];
    for (const [jobId, refines] of chain)
      objects = takenUp(objects, "a", { jobId, continues: "job_1" }, refinedOf(refines ?? "") ?? undefined);
    expect(objects.map((object) => object.attempts.map(({ jobId }) => jobId))).toEqual([
      ["job_2", "job_4", "job_6"],
      ["job_3", "job_5"],
    ]);
    expect(objects.map(({ refines }) => refines?.object)).toEqual(["job_1/cup.png/3", undefined]);
  });

  it("is found again by the path of its job", () => {
    expect(inPath(nth(drawn, 2))).toBe("job_2~job_1/cup.png/3");
    expect(refinedOf("job_1/cup.png/3")).toEqual(cup);
    for (const other of ["pointed/1", "job_1/cup.png/3~ab", "job_1", ""]) expect(refinedOf(other)).toBeNull();
  });
});
