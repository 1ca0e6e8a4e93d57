import { expect, onTestFinished, test, vi } from "vitest";
import type { Dtype } from "../../../src/device/values.ts";
import { ContentMask } from "../../../src/models/grounding-dino/detector.ts";

const INPUT = { width: 800, height: 800 };

test.for<Dtype>(["int64", "float32", "bool"])(
  "a mask of %s is 1 where the picture is, and 0 in the bars",
  (dtype) => {
    const { dims, type, data } = new ContentMask({ dtype }, { width: 5, height: 4 }).of({
      width: 3,
      height: 2,
    });
    expect([type, dims]).toEqual([dtype, [1, 4, 5]]);
    const rows = ["11100", "11100", "00000", "00000"];
    expect(Array.from(data, Number).join("")).toBe(rows.join(""));
  },
);

test("a mask is made once for all prompts and frames of one shape, and no pixel of it is converted to a BigInt", () => {
  const converted = vi.spyOn(BigInt64Array, "from");
  onTestFinished(() => converted.mockRestore());
  const mask = new ContentMask({ dtype: "int64" }, INPUT);
  const first = mask.of({ width: 800, height: 600 });
  expect(mask.of({ width: 800, height: 600 })).toBe(first);
  const upright = mask.of({ width: 600, height: 800 });
  expect(upright).not.toBe(first);
  expect(mask.of({ width: 600, height: 800 })).toBe(upright);
  expect(converted).not.toHaveBeenCalled();
});
