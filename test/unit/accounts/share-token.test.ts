import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  generateShareToken,
  isWellFormedShareToken,
  shareEnd,
} from "../../../src/accounts/rules/share-token.ts";
import { generateApiKey, isWellFormedApiKey } from "../../../src/accounts/rules/api-key.ts";

describe("a share's token", () => {
  it("is never taken for an API key, nor a key for a token [A23-10]", () => {
    for (let i = 0; i < 200; i += 1) {
      const [token, key] = [generateShareToken(), generateApiKey()];
      expect(token).toMatch(/^shr_/);
      expect([isWellFormedShareToken(token), isWellFormedApiKey(token)]).toEqual([true, false]);
      expect([isWellFormedShareToken(key), isWellFormedApiKey(key)]).toEqual([false, true]);
      expect(isWellFormedApiKey(token.replace("shr_", "sk_live_"))).toBe(false);
    }
  });
});

describe("the end of a link", () => {
  it("is the requested time, or the earliest end of retention of a job that it shows [A23-2]", () => {
    const time = fc.integer({ min: 1, max: 2 ** 45 });
    fc.assert(
      fc.property(
        time,
        fc.integer({ min: 60, max: 30 * 86_400 }),
        fc.array(time, { minLength: 1, maxLength: 5 }),
        time,
        (now, seconds, createdAt, retention) => {
          const end = shareEnd(now, seconds, createdAt, retention);
          const ends = [now + seconds * 1_000, ...createdAt.map((at) => at + retention)];
          expect(ends).toContain(end);
          for (const each of ends) expect(end).toBeLessThanOrEqual(each);
        },
      ),
    );
  });
});
