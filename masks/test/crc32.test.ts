import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { crc32 } from "@segmentation/masks";

it("CRC-32 equals zlib's for any bytes [4.9-13]", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
  );
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(crc32(everyByte)).toBe(zlibCrc32(everyByte));
});
