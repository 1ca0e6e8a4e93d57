import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256Hex } from "../../../../src/core/lib/digest.ts";

it("a text's digest is SHA-256 of its UTF-8 bytes, in lowercase hex", async () => {
  expect(await sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      expect(await sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }),
  );
});
