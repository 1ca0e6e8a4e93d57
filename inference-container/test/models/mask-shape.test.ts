import { expect, test } from "vitest";
import { gridArea, gridBounds, gridIou, gridMoved, gridOverlap, type LogitGrid } from "@segmentation/masks";

/** A grid drawn with x for set cells, row by row. */
function grid(...rows: readonly string[]): LogitGrid {
  const logits = Float32Array.from(rows.join(""), (cell) => (cell === "x" ? 3 : -3));
  return { width: rows[0]?.length ?? 0, height: rows.length, logits };
}

const rowsOf = ({ width, logits }: LogitGrid): string[] =>
  Array.from({ length: logits.length / width }, (_, y) =>
    Array.from(logits.subarray(y * width, (y + 1) * width), (logit) => (logit > 0 ? "x" : ".")).join(""),
  );

const SIZE = { width: 40, height: 30 };
const mask = grid("....", ".xx.", "..x.");

test("a mask's area, overlap and bounds", () => {
  const other = grid("....", "..xx", "..xx");
  expect([gridArea(mask), gridArea(other), gridOverlap(mask, other)]).toEqual([3, 4, 2]);
  expect(gridIou(mask, other)).toBe(2 / 5);
  expect(gridIou(grid("..", ".."), grid("..", ".."))).toBe(0);
  expect(gridBounds(mask, SIZE)).toEqual([10, 10, 30, 30]);
  expect(gridBounds(grid("..", ".."), SIZE)).toBeUndefined();
  expect(gridBounds({ width: 2, height: 1, logits: Float32Array.of(0, 1) }, SIZE)).toEqual([20, 0, 40, 30]);
});

test("a moved mask has the same pixels elsewhere, and none from beyond the edge", () => {
  expect(rowsOf(gridMoved(mask, SIZE, [10, -10]))).toEqual(["..xx", "...x", "...."]);
  expect(rowsOf(gridMoved(mask, SIZE, [-14, 4]))).toEqual(["....", "xx..", ".x.."]);
  expect(rowsOf(gridMoved(mask, SIZE, [-20, 10]))).toEqual(["....", "....", "x..."]);
  expect(rowsOf(gridMoved(mask, SIZE, [400, 0]))).toEqual(["....", "....", "...."]);
});
