import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  identityEntry,
  nameOf,
  profileAfter,
  sameProfile,
  Subject,
  type Profile,
} from "../../../src/accounts/rules/identity.ts";

const ADA: Profile = {
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada",
  image: "https://example.com/ada.png",
};

it("the directory knows an identity by its issuer and subject together, and stores neither in plain text", async () => {
  const pairs = [
    ["ada", "1"],
    ["ada", "2"],
    ["eve", "1"],
    ["ada1", ""],
    ["", "ada1"],
  ].map(([issuer = "", subject = ""]) => ({ issuer, subject }));
  const entries = await Promise.all([...pairs, ...pairs].map(identityEntry));
  expect(new Set(entries).size).toBe(pairs.length);
  for (const entry of entries) expect(entry).toMatch(/^[0-9a-f]{64}$/);
});

describe("a subject", () => {
  it("is of 1 to 255 characters", () => {
    const lengths = [0, 1, 255, 256].map((length) => Subject.safeParse("x".repeat(length)).success);
    expect(lengths).toEqual([false, true, true, false]);
  });
});

describe("a person's profile", () => {
  it("equals the access token's claims", () => {
    const claims = {
      sub: "1",
      email: "ada@example.com",
      email_verified: true,
      name: "Ada",
      picture: "https://example.com/ada.png",
    };
    expect(profileAfter(claims)).toEqual(ADA);
  });

  it("is empty before a token claimed anything", () => {
    expect(profileAfter({})).toEqual({ email: "", emailVerified: false, name: null, image: null });
  });

  it("stays the same if a token claims nothing", () => {
    expect(profileAfter({ sub: "1" }, ADA)).toEqual(ADA);
  });

  it("takes each claim by itself", () => {
    expect(profileAfter({ name: "Ada L." }, ADA)).toEqual({ ...ADA, name: "Ada L." });
    const image = "http://example.com/new.png";
    expect(profileAfter({ picture: image }, ADA)).toEqual({ ...ADA, image });
    const email = "lovelace@example.com";
    expect(profileAfter({ email, email_verified: true }, ADA)).toEqual({ ...ADA, email });
  });

  it("has an address verified only by the token that claims the address", () => {
    expect(profileAfter({ email: "ada@example.com" }, ADA)).toMatchObject({ emailVerified: false });
    const unverified = { ...ADA, emailVerified: false };
    expect(profileAfter({ email_verified: true }, unverified)).toEqual(unverified);
  });

  it.each([
    ["email", [5, "", "x".repeat(321), null]],
    ["email_verified", ["true", 1]],
    ["name", [5, "", "x".repeat(201)]],
    [
      "picture",
      [
        "",
        "ada.png",
        "ftp://example.com/ada.png",
        "xhttps://example.com/",
        "httpsx://example.com/",
        `https://example.com/${"x".repeat(2_048)}`,
      ],
    ],
  ])("is not changed by a claim that has not its shape: %s", (claim, values) => {
    for (const value of values) expect(profileAfter({ [claim]: value }, ADA)).toEqual(ADA);
  });

  it("takes claims of the greatest length", () => {
    const email = "x".repeat(320);
    const name = "x".repeat(200);
    const picture = "https://example.com/".padEnd(2_048, "x");
    expect(profileAfter({ email, email_verified: true, name, picture })).toEqual({
      email,
      emailVerified: true,
      name,
      image: picture,
    });
  });

  it("equals another exactly if all claims are equal", () => {
    const profile = fc.record<Profile>({
      email: fc.constantFrom("a@b", ""),
      emailVerified: fc.boolean(),
      name: fc.constantFrom("Ada", null),
      image: fc.constantFrom("https://a", null),
    });
    fc.assert(
      fc.property(profile, profile, (a, b) => {
        expect(sameProfile(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b));
        expect(sameProfile(a, { ...a })).toBe(true);
      }),
    );
    for (const change of [{ email: "" }, { emailVerified: false }, { name: null }, { image: null }]) {
      expect(sameProfile(ADA, { ...ADA, ...change })).toBe(false);
    }
  });
});

describe("a person's name", () => {
  it("is the name, or the part of the e-mail address before the @, and never null", () => {
    expect(nameOf({ ...ADA, name: "Ada" })).toBe("Ada");
    expect(nameOf({ ...ADA, name: null, email: "ada.l@example.com" })).toBe("ada.l");
    expect(nameOf({ ...ADA, name: null, email: '"a@b"@example.com' })).toBe('"a@b"');
    expect(nameOf({ ...ADA, name: null, email: "" })).toBe("");
  });
});
