import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOwner, newSeenCredentials } from "../../../src/accounts/rules/callers.ts";

describe("the owner of an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1::", "2001:db8:1:0::/64"],
    ["2001:db8:0:0:1:2:3:4", "2001:db8:0:0::/64"],
    ["::3:4:5:6:7:8", "0:0:3:4::/64"],
    ["1::4:5:6:7:8", "1:0:0:4::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ])("of %s is %s", (address, owner) => {
    expect(addressOwner(address)).toBe(owner);
  });

  it.each([
    "",
    "unknown",
    "203.0.113",
    "203.0.113.256",
    "1:2:3",
    "1::2::3",
    "::1/64",
    "::1]/x",
    "x]@[::1",
    "203.0.113.7/x",
    "[::1]",
    "a.test",
  ])("of %j, which is no address, is unknown", (text) => {
    expect(addressOwner(text)).toBeNull();
  });

  it("is the same for all addresses of a network of IPv6, and no other's", () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const four = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(four, four, four, four, (network, host, otherNetwork, otherHost) => {
        const owner = addressOwner([...network, ...host].join(":"));
        expect(addressOwner([...network, ...otherHost].join(":"))).toBe(owner);
        expect(addressOwner([...otherNetwork, ...host].join(":")) === owner).toBe(
          network.join(":") === otherNetwork.join(":"),
        );
      }),
    );
  });
});

describe("a credential that this isolate has seen", () => {
  const ACCOUNT = { accountId: "acct_1", database: "DB" };

  it("is known to be good for ten minutes, and to be refused for ten seconds", () => {
    const { accepted, refused } = newSeenCredentials();
    accepted.put("good", ACCOUNT, 0);
    refused.put("bad", true, 0);
    expect(accepted.get("good", 599_999)).toBe(ACCOUNT);
    expect(accepted.get("good", 600_000)).toBeUndefined();
    expect(refused.get("bad", 9_999)).toBe(true);
    expect(refused.get("bad", 10_000)).toBeUndefined();
    expect(refused.get("good", 0)).toBeUndefined();
  });

  it("is forgotten after ten thousand others, and not because of those that are refused", () => {
    const { accepted, refused } = newSeenCredentials();
    accepted.put("good", ACCOUNT, 0);
    for (let i = 0; i < 10_001; i += 1) refused.put(`bad ${i}`, true, 0);
    expect(refused.get("bad 0", 0)).toBeUndefined();
    expect(refused.get("bad 1", 0)).toBe(true);
    expect(accepted.get("good", 0)).toBe(ACCOUNT);
  });
});
