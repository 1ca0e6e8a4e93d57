import { describe, expect, it } from "vitest";
import {
  type AnnotationsDocument,
  documentOf,
  fieldsOf,
  NO_ANNOTATIONS,
} from "../../../src/workspace/annotations/fields.ts";
import { fieldsOfState, withFields } from "../../../src/workspace/annotations/state.ts";
import { changesOf, type Edit, NO_EDITS } from "../../../src/workspace/rules/edit-history.ts";
import { Browser, FakeService } from "./fake-service.ts";

describe("the mask of an edited object", () => {
  const object = "job/a.jpg/0";
  const shapeKey = JSON.stringify(["object", "a.jpg", "job/0", "shape"]);
  const strokes = (points: readonly number[]): Edit => ({
    type: "paint",
    object,
    stroke: { mode: "brush", radius: 1, points },
  });
  const mask = { size: [1, 2], counts: "02" } as const;
  const shapesOf = (browser: Browser) => {
    const recipe = JSON.stringify(
      changesOf(browser.state.histories.get("a.jpg") ?? NO_EDITS).get(object)?.composition,
    );
    return new Map([[recipe, mask]]);
  };

  it("is added to a recipe that was saved without it", () => {
    const browser = new Browser(new FakeService());
    browser.edit("a.jpg", strokes([1, 1]));
    const base = fieldsOfState(browser.state, fieldsOf(NO_ANNOTATIONS), new Map());
    const after = fieldsOfState(browser.state, base, shapesOf(browser));
    expect(JSON.parse(after.get(shapeKey) ?? "")).toMatchObject({ mask });
    // Without the mask, as after a reload, nothing differs.
    expect(fieldsOfState(browser.state, after, new Map())).toEqual(after);
  });

  it("stays while it can't be composed, if its recipe is too long to be saved", () => {
    const browser = new Browser(new FakeService());
    browser.edit("a.jpg", strokes(Array.from({ length: 40_000 }, () => 1)));
    const saved = fieldsOfState(browser.state, fieldsOf(NO_ANNOTATIONS), shapesOf(browser));
    expect(JSON.parse(saved.get(shapeKey) ?? "")).toEqual({ mask });
    expect(fieldsOfState(browser.state, saved, new Map())).toEqual(saved);
  });
});

describe("an annotations document", () => {
  const document: AnnotationsDocument = {
    format: 1,
    classes: [
      { id: 3, name: "Chair", color: "#1b9e77", key: 1 },
      { id: 1, name: "cup" },
    ],
    nextClassId: 7,
    searches: ["job_b"],
    thresholds: [{ least: 0.2 }, { prompt: "cup", least: 0.5 }],
    tasks: [
      {
        taskId: "a.jpg",
        fileName: "hall.jpg",
        width: 2,
        height: 1,
        verdict: "accepted",
        note: "again",
        thresholds: [{ prompt: "cup", least: 0.7 }],
        objects: [
          { id: "job/0", classId: 3, hidden: true, accepted: true },
          { id: "mine", mask: { size: [1, 2], counts: "02" }, recipe: "?" },
        ],
      },
    ],
  };

  it("is the same after it was taken apart and put together", () => {
    expect(documentOf(fieldsOf(document), ["CUP"])).toEqual(document);
  });

  it("keeps fields that the studio does not show, and the ids of its classes", () => {
    const fields = fieldsOf(document);
    const state = withFields(new Browser(new FakeService()).state, fieldsOf(NO_ANNOTATIONS), fields, 1);
    expect(documentOf(fieldsOfState(state, fields, new Map()), []).classes).toEqual(document.classes);
    const again = documentOf(fieldsOfState(state, fields, new Map()), ["bottle"]);
    expect(again.classes.at(-1)).toEqual({ id: 7, name: "bottle" });
    expect(again.tasks).toEqual(document.tasks);
  });

  it("has no class for a prompt that is too long for a name", () => {
    expect(documentOf(fieldsOf(NO_ANNOTATIONS), ["a".repeat(101), "cup"]).classes).toEqual([
      { id: 1, name: "cup" },
    ]);
  });

  it("has one class for two names that differ in letter case alone", () => {
    const fields = fieldsOf({ ...document, tasks: [] });
    expect(documentOf(fields, ["chair", "CHAIR"]).classes).toEqual(document.classes);
  });
});
