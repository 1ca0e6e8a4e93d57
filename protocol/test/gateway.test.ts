import { fitsFrame, MOST_FRAME_BYTES, parsedJson } from "@segmentation/protocol";
import { expect, it } from "vitest";

it.each([
  ["a", 1],
  ["é", 2],
  ["€", 3],
  ["😀", 4],
])("a frame is bounded by its bytes: %s has %i", (character, bytes) => {
  const text = character.repeat(Math.floor(MOST_FRAME_BYTES / bytes));
  const rest = "a".repeat(MOST_FRAME_BYTES % bytes);
  expect(fitsFrame(text + rest)).toBe(true);
  expect(fitsFrame(`${text + rest}a`)).toBe(false);
});

it("a frame that is not JSON has no content", () => {
  expect(parsedJson('{"type":"ended"}')).toEqual({ type: "ended" });
  expect(parsedJson("{")).toBeUndefined();
});
