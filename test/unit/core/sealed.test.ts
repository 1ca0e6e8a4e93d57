import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../../src/core/fingerprint.ts";
import { seal, unseal } from "../../../src/core/sealed.ts";

const text = fc.string({ unit: "grapheme" });

describe("a sealed text", () => {
  it("opens by its secret and for its purpose, and by no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.string({ minLength: 1 }),
        async (secret, purpose, content, more) => {
          const sealed = await seal(secret, purpose, content);
          expect(await unseal(secret, purpose, sealed)).toBe(content);
          expect(await unseal(secret + more, purpose, sealed)).toBeNull();
          expect(await unseal(secret, purpose + more, sealed)).toBeNull();
        },
      ),
    );
  });

  it("is another each time, and does not open when any one character is another", async () => {
    const sealed = await seal("secret", "purpose", "content");
    expect(await seal("secret", "purpose", "content")).not.toBe(sealed);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed.charAt(at) === "A" ? "B" : "A") + sealed.slice(at + 1);
      // The last character of a part may carry bits that base64url does not count.
      const opened = await unseal("secret", "purpose", changed);
      expect([null, "content"]).toContain(opened);
      if (!/^(\.|$)/.test(sealed.slice(at + 1))) expect(opened).toBeNull();
    }
    for (const broken of ["", ".", "a.b.c.d.e", sealed.slice(1), `${sealed}.`]) {
      expect(await unseal("secret", "purpose", broken)).toBeNull();
    }
  });
});

describe("a fingerprint", () => {
  it("is equal for equal JSON, in whatever order the fields stand, and another for any other", async () => {
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

/** Fields as a list of pairs in order: another way to the same end. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted();
  const fields = new Map(Object.entries(value));
  return ["object", ...names.map((name) => [name, sorted(fields.get(name))])];
}
