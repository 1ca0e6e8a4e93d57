import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apiKeyDigest,
  apiKeyPrefix,
  generateApiKey,
  isWellFormedApiKey,
} from "../../../src/accounts/rules/api-key.ts";

const BASE62 = Array.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

/** Returns the six base62 digits of a string's CRC-32, most significant first, by another implementation. */
const checksumOf = (text: string): string =>
  [5, 4, 3, 2, 1, 0].map((place) => BASE62[Math.floor(crc32(text) / 62 ** place) % 62]).join("");

/** The pattern of secret scanners. */
const API_KEY_PATTERN = /^sk_live_[0-9A-Za-z]{46}$/;

describe("an API key", () => {
  it("is sk_live_, 40 base62 digits and 6 of the CRC-32 of all before them [5-2 4.9-13]", () => {
    for (let i = 0; i < 1_000; i += 1) {
      const key = generateApiKey();
      expect(key).toMatch(API_KEY_PATTERN);
      expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)));
      expect(isWellFormedApiKey(key)).toBe(true);
    }
  });

  it("has random digits, each as likely as any other", () => {
    const keys = 4_000;
    const counts = new Map<string, number>();
    for (let i = 0; i < keys; i += 1) {
      for (const digit of generateApiKey().slice(8, 48)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(BASE62);
    // Eight standard deviations: chance never goes that far, but bytes taken modulo 62 go to ten.
    const expected = (keys * 40) / 62;
    for (const [digit, count] of counts) {
      expect(Math.abs(count - expected), digit).toBeLessThan(8 * Math.sqrt(expected));
    }
  });

  it("is refused when any one character is another [4.9-14]", () => {
    fc.assert(
      fc.property(fc.nat(53), fc.stringMatching(/^[0-9A-Za-z]$/), (at, char) => {
        const key = generateApiKey();
        const changed = key.slice(0, at) + char + key.slice(at + 1);
        expect(isWellFormedApiKey(changed)).toBe(changed === key);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["of another prefix", `sk_test_${"0".repeat(40)}`],
    ["too short", `sk_live_${"0".repeat(39)}`],
    ["too long", `sk_live_${"0".repeat(41)}`],
    ["with a character that is no digit", `sk_live_${"0".repeat(39)}-`],
    ["not at the start of the text", ` sk_live_${"0".repeat(40)}`],
  ])("is refused when it is %s, though its checksum be right", (_, body) => {
    expect(isWellFormedApiKey(body + checksumOf(body))).toBe(false);
  });

  it("is found by secret scanners as a whole text, with nothing after it", () => {
    expect(`${generateApiKey()}0`).not.toMatch(API_KEY_PATTERN);
  });

  it("is stored as SHA-256 of the whole secret, and shown by 12 characters [4.9-16]", async () => {
    const key = `sk_live_${"0".repeat(46)}`;
    expect(await apiKeyDigest(key)).toBe(createHash("sha256").update(key).digest("hex"));
    expect(apiKeyPrefix(key)).toBe("sk_live_0000");
  });
});
