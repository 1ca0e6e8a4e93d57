import { describe, expect, it } from "vitest";
import { newSeenCredentials } from "../../../../src/core/accounts/seen-credentials.ts";

describe("a credential that this isolate has seen", () => {
  it("is known to be good for ten minutes, and to be refused for ten seconds", () => {
    const { accepted, refused } = newSeenCredentials();
    accepted.put("good", "acct_1", 0);
    refused.put("bad", true, 0);
    expect(accepted.get("good", 599_999)).toBe("acct_1");
    expect(accepted.get("good", 600_000)).toBeUndefined();
    expect(refused.get("bad", 9_999)).toBe(true);
    expect(refused.get("bad", 10_000)).toBeUndefined();
    expect(refused.get("good", 0)).toBeUndefined();
  });

  it("is forgotten after ten thousand others, and not because of those that are refused", () => {
    const { accepted, refused } = newSeenCredentials();
    accepted.put("good", "acct_1", 0);
    for (let i = 0; i < 10_001; i += 1) refused.put(`bad ${i}`, true, 0);
    expect(refused.get("bad 0", 0)).toBeUndefined();
    expect(refused.get("bad 1", 0)).toBe(true);
    expect(accepted.get("good", 0)).toBe("acct_1");
  });
});
