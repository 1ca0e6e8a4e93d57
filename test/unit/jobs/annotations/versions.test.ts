import { describe, expect, it } from "vitest";
import { etagOf, savedAnnotations, versionOf } from "../../../../src/jobs/rules/annotations.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const JOB = { jobTasks: ["a", "b"], now: 2 };
const NEW = { json: bytes("new"), nextClassId: 3, taskIds: ["a"] };
const BEFORE = { version: 5, updatedAt: 1, nextClassId: 3, json: bytes("old") };
const SAVED = { updatedAt: 2, nextClassId: 3, json: NEW.json };

describe("a saved document", () => {
  it("is the next version", () => {
    expect(savedAnnotations(null, 0, NEW, JOB)).toEqual({
      at: "saved",
      annotations: { ...SAVED, version: 1 },
    });
    expect(savedAnnotations(BEFORE, 5, NEW, JOB)).toEqual({
      at: "saved",
      annotations: { ...SAVED, version: 6 },
    });
  });

  it.each([4, 6, 0])("conflicts with version 5 if it is based on %i", (base) => {
    expect(savedAnnotations(BEFORE, base, NEW, JOB)).toEqual({ at: "conflict", version: 5 });
  });

  it("conflicts with none if it is based on one", () => {
    expect(savedAnnotations(null, 1, NEW, JOB)).toEqual({ at: "conflict", version: 0 });
  });

  it.each([5, 4])("changes nothing if it is repeated on version %i", (base) => {
    const same = { ...NEW, json: bytes("old") };
    expect(savedAnnotations(BEFORE, base, same, JOB)).toEqual({ at: "saved", annotations: BEFORE });
  });

  it.each([3, 6])("conflicts if it is repeated on version %i", (base) => {
    const same = { ...NEW, json: bytes("old") };
    expect(savedAnnotations(BEFORE, base, same, JOB)).toEqual({ at: "conflict", version: 5 });
  });

  it.each(["older", "ol", "odd"])("differs from the old one by any byte: %s", (text) => {
    const other = { ...NEW, json: bytes(text) };
    expect(savedAnnotations(BEFORE, 5, other, JOB)).toMatchObject({ annotations: { version: 6 } });
  });

  it("names tasks of the job alone", () => {
    const foreign = { ...NEW, taskIds: ["a", "c"] };
    expect(savedAnnotations(null, 0, foreign, JOB)).toEqual({ at: "refused", why: "The job has no task c." });
  });

  it("never gives a class id again", () => {
    const why = "nextClassId must be at least 3, as in version 5.";
    expect(savedAnnotations(BEFORE, 5, { ...NEW, nextClassId: 2 }, JOB)).toEqual({ at: "refused", why });
  });
});

describe("a version's ETag", () => {
  it("is read back, strong or weak", () => {
    expect(versionOf(etagOf(12))).toBe(12);
    expect(versionOf('W/"12"')).toBe(12);
    expect(etagOf(12)).toBe('"12"');
  });

  it.each([undefined, "12", '"12" ', ' "12"', '"x12"', '"12x"', '""', `"${"1".repeat(16)}"`, "*"])(
    "is not %j",
    (ifMatch) => {
      expect(versionOf(ifMatch)).toBeNull();
    },
  );
});
