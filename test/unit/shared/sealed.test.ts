import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import { CompactEncrypt } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isSealedByCurrent, seal, unseal } from "../../../src/shared/sealed.ts";
import { service } from "../../support/secrets.ts";

const SECRETS = service("secret");
const text = fc.string({ unit: "grapheme" });

afterEach(() => {
  vi.restoreAllMocks();
});

const KEY_ID = Buffer.from(hkdfSync("sha256", "secret", "", "key id", 9)).toString("base64url");

/** A JWE by the key of a secret for a purpose: HKDF with SHA-256, without salt, with Node's functions. */
const jwe = (
  secret: string,
  purpose: string,
  content: string,
  header: { alg?: string; enc?: string; kid?: string },
) =>
  new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", ...header })
    .encrypt(new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32)));

describe("a sealed text", () => {
  it("is a JWE (AES-256-GCM, key by HKDF) with its key id, and opens as long as the secret exists", async () => {
    const stored = await jwe("secret", "purpose", "content", { kid: KEY_ID });
    expect(await unseal(SECRETS, "purpose", stored)).toBe("content");
    const [header = ""] = (await seal(SECRETS, "purpose", "content")).split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
      alg: "dir",
      enc: "A256GCM",
      kid: KEY_ID,
    });
  });

  it("by another cipher or another management of keys does not open", async () => {
    const kid = KEY_ID;
    const otherCipher = await jwe("secret", "purpose", "content", { enc: "A128CBC-HS256", kid });
    expect(await unseal(SECRETS, "purpose", otherCipher)).toBeNull();
    const otherKey = await jwe("secret", "purpose", "content", { alg: "A256KW", kid });
    expect(await unseal(SECRETS, "purpose", otherKey)).toBeNull();
  });

  it("opens by the previous secret too, which its key id names, and by no secret that it does not name [A8-1]", async () => {
    const sealed = await seal(SECRETS, "purpose", "content");
    const rotated = service("next", { previous: "secret" });
    expect(await unseal(rotated, "purpose", sealed)).toBe("content");
    expect(await isSealedByCurrent(SECRETS, sealed)).toBe(true);
    expect(await isSealedByCurrent(rotated, sealed)).toBe(false);
    for (const kid of ["another", ""]) {
      const foreign = await jwe("secret", "purpose", "content", { kid });
      expect(await unseal(rotated, "purpose", foreign)).toBeNull();
    }
    const forged = await jwe("next", "purpose", "content", { kid: KEY_ID });
    expect(await unseal(rotated, "purpose", forged)).toBeNull();
  });

  it("without a key id opens by no secret [A8-2]", async () => {
    const nameless = await jwe("secret", "purpose", "content", {});
    expect(await unseal(service("next", { previous: "secret" }), "purpose", nameless)).toBeNull();
    expect(await unseal(SECRETS, "purpose", nameless)).toBeNull();
  });

  it("is not called forged when the runtime fails to look", async () => {
    const sealed = await seal(SECRETS, "purpose", "content");
    vi.spyOn(crypto.subtle, "deriveBits").mockRejectedValue(new Error("out of memory"));
    await expect(unseal(SECRETS, "purpose", sealed)).rejects.toThrow("out of memory");
  });

  it("opens by its secret and for its purpose, and by no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.string({ minLength: 1 }),
        async (secret, purpose, content, more) => {
          const sealed = await seal(service(secret), purpose, content);
          expect(await unseal(service(secret), purpose, sealed)).toBe(content);
          expect(await unseal(service(secret + more), purpose, sealed)).toBeNull();
          expect(await unseal(service(secret), purpose + more, sealed)).toBeNull();
        },
      ),
    );
  });

  it("is another each time, and does not open when any one character is another", async () => {
    const sealed = await seal(SECRETS, "purpose", "content");
    expect(await seal(SECRETS, "purpose", "content")).not.toBe(sealed);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed.charAt(at) === "A" ? "B" : "A") + sealed.slice(at + 1);
      // The last character of a part may carry bits that base64url ignores.
      const opened = await unseal(SECRETS, "purpose", changed);
      expect([null, "content"]).toContain(opened);
      if (!/^(\.|$)/.test(sealed.slice(at + 1))) expect(opened).toBeNull();
    }
    for (const broken of ["", ".", "a.b.c.d.e", sealed.slice(1), `${sealed}.`]) {
      expect(await unseal(SECRETS, "purpose", broken)).toBeNull();
    }
  });
});
