import { expect, test } from "vitest";
import { withSingleMask } from "../../src/models/fetch/build-folder.ts";

const SIZE = 16_531_241;

/** Stands for the pinned export: only the bytes that are changed matter here. The folder's digest checks the real one. */
function decoder(start: number, ratings: number): Buffer {
  const bytes = Buffer.alloc(SIZE, 7);
  bytes[261_634] = start;
  bytes[262_094] = start;
  bytes[16_531_236] = ratings;
  return bytes;
}

test("the first mask and its rating are no longer cut off, and four ratings are declared; nothing else changes", () => {
  const given = decoder(1, 3);
  expect(decoder(0, 4).equals(withSingleMask(given))).toBe(true);
  expect(given.equals(decoder(1, 3))).toBe(true);
});

test.for([261_634, 262_094, 16_531_236])("a file with another byte at %i is refused", (at) => {
  const other = decoder(1, 3);
  other[at] = 9;
  expect(() => withSingleMask(other)).toThrow("not the file whose masks are known");
});
