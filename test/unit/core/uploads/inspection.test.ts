import { expect, it } from "vitest";
import { nextInspection, UPLOAD_SECONDS } from "../../../../src/core/uploads/inspection.ts";

const PRESIGNED = 1_800_000_000_000;
const DAY = 86_400_000;

it("an upload is looked at a minute after its URL has expired, then a day after its presign, then no more", () => {
  const first = PRESIGNED + (UPLOAD_SECONDS + 60) * 1_000;
  expect(nextInspection(PRESIGNED, PRESIGNED)).toBe(first);
  expect(nextInspection(PRESIGNED, first - 1)).toBe(first);
  expect(nextInspection(PRESIGNED, first)).toBe(PRESIGNED + DAY);
  expect(nextInspection(PRESIGNED, PRESIGNED + DAY - 1)).toBe(PRESIGNED + DAY);
  expect(nextInspection(PRESIGNED, PRESIGNED + DAY)).toBeNull();
});
