import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import { CompactEncrypt } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { seal, unseal } from "../../../../src/core/lib/sealed.ts";

const text = fc.string({ unit: "grapheme" });

afterEach(() => {
  vi.restoreAllMocks();
});

/** A JWE by the key of a secret for a purpose: HKDF with SHA-256, without salt, by Node's own means. */
const jwe = (secret: string, purpose: string, content: string, header: { alg: string; enc: string }) =>
  new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader(header)
    .encrypt(new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32)));

describe("a sealed text", () => {
  it("is a JWE by AES-256 in GCM under HKDF's key, so that what is stored opens as long as there is the secret", async () => {
    const stored = await jwe("secret", "purpose", "content", { alg: "dir", enc: "A256GCM" });
    expect(await unseal("secret", "purpose", stored)).toBe("content");
    const [header = ""] = (await seal("secret", "purpose", "content")).split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "dir", enc: "A256GCM" });
  });

  it("by another cipher or another management of keys does not open", async () => {
    const otherCipher = await jwe("secret", "purpose", "content", { alg: "dir", enc: "A128CBC-HS256" });
    expect(await unseal("secret", "purpose", otherCipher)).toBeNull();
    const otherKey = await jwe("secret", "purpose", "content", { alg: "A256KW", enc: "A256GCM" });
    expect(await unseal("secret", "purpose", otherKey)).toBeNull();
  });

  it("is not called forged when the runtime fails to look", async () => {
    const sealed = await seal("secret", "purpose", "content");
    vi.spyOn(crypto.subtle, "deriveBits").mockRejectedValue(new Error("out of memory"));
    await expect(unseal("secret", "purpose", sealed)).rejects.toThrow("out of memory");
  });

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
