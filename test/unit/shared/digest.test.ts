import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it, describe } from "vitest";
import { sha256Hex, fingerprintOf } from "../../../src/shared/digest.ts";

it("a text's digest is SHA-256 of its UTF-8 bytes, in lowercase hex", async () => {
  expect(await sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      expect(await sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }),
  );
});

it("bytes are digested unchanged", async () => {
  const bytes = Uint8Array.of(0, 200, 255);
  expect(await sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
});

describe("a fingerprint", () => {
  it("is the digest of the JSON with the names of each object in order", async () => {
    const body = { b: 1, a: [{ d: null, c: "x" }, true], "": {} };
    const ordered = '{"":{},"a":[{"c":"x","d":null},true],"b":1}';
    expect(await fingerprintOf(body)).toBe(await sha256Hex(ordered));
  });

  it("of no body is that of null", async () => {
    expect(await fingerprintOf(undefined)).toBe(await sha256Hex("null"));
  });

  it("distinguishes an array and a string from an object with index keys", async () => {
    const bodies = [["x"], "x", { 0: "x" }];
    expect(new Set(await Promise.all(bodies.map(fingerprintOf))).size).toBe(3);
  });

  it("is equal for equal JSON with any order of fields, and differs for any other", async () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([k, v]) => [k, reversed(v)] as const)
          .toReversed(),
      );
    };
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (a, b) => {
        expect(await fingerprintOf(reversed(a))).toBe(await fingerprintOf(a));
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect((await fingerprintOf(a)) === (await fingerprintOf(b))).toBe(same);
      }),
    );
  });
});

/** Returns fields as an array of pairs in order: another way to the same result. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted();
  const fields = new Map(Object.entries(value));
  return ["object", ...names.map((name) => [name, sorted(fields.get(name))])];
}
