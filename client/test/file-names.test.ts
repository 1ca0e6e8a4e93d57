import fc from "fast-check";
import { stemOf, uniqueNames } from "segmentation-client";
import { describe, expect, it } from "vitest";

const namesFor = (names: readonly string[]): string[] => [
  ...uniqueNames(new Map(names.map((name, i) => [String(i), name]))).values(),
];

describe("the names of files in a folder", () => {
  it("are never two the same, and lead nowhere else", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", ".", "/", "\\", "\0", "-2") })),
        (names) => {
          const files = namesFor(names);
          expect(new Set(files).size).toBe(names.length);
          for (const file of files) expect(file).not.toMatch(/[/\\\0]|^\./);
        },
      ),
    );
  });

  it("are those of the files where they can be", () => {
    expect(namesFor(["a.jpg", "a.jpg", "b/c.png", "a-2.jpg"])).toEqual([
      "a.jpg",
      "a-2.jpg",
      "b_c.png",
      "a-2-2.jpg",
    ]);
  });

  it("have a stem, whatever stands before or behind the dots", () => {
    expect(["a.b.jpg", "a", ".env"].map(stemOf)).toEqual(["a.b", "a", ".env"]);
  });
});
