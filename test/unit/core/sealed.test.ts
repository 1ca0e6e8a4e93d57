import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
