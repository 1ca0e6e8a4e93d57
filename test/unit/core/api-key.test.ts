import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  API_KEY_PATTERN,
  apiKeyDigest,
  apiKeyPrefix,
  generateApiKey,
  isWellFormedApiKey,
} from "../../../src/core/api-key.ts";
import { crc32 } from "../../../src/core/crc32.ts";

describe("an API key", () => {
  it("is sk_live_, 40 base62 digits and 6 of a checksum", () => {
    for (let i = 0; i < 1_000; i += 1) {
      const key = generateApiKey();
      expect(key).toMatch(API_KEY_PATTERN);
      expect(isWellFormedApiKey(key)).toBe(true);
    }
  });

  it("is refused when any one character is another", () => {
    fc.assert(
      fc.property(fc.nat(53), fc.stringMatching(/^[0-9A-Za-z]$/), (at, char) => {
        const key = generateApiKey();
        const changed = key.slice(0, at) + char + key.slice(at + 1);
        expect(isWellFormedApiKey(changed)).toBe(changed === key);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is stored as SHA-256, and shown by 12 characters", async () => {
    const key = `sk_live_${"0".repeat(46)}`;
    expect(await apiKeyDigest(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(apiKeyPrefix(key)).toBe("sk_live_0000");
  });

  it("has zlib's CRC-32", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(crc32(bytes)).toBe(zlibCrc32(bytes));
      }),
    );
  });
});
