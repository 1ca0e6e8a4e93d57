import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signToken, verifyToken } from "../../../../src/core/lib/signed-token.ts";

const SECRET = "a secret for tokens, of thirty-two bytes or more";
const NOW = 1_800_000_000_000;

/** What a token says when it is read at this time. */
async function readAt(now: number, token: string) {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  return verifyToken(SECRET, "lease", token);
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a signed token", () => {
  it("says what it was signed for, to who has the secret and asks for its purpose", async () => {
    const token = await signToken(SECRET, "lease", { job: "job_1" });
    expect(await verifyToken(SECRET, "lease", token)).toMatchObject({ job: "job_1" });
  });

  it("is worthless by another secret, for another purpose, and when it is no token", async () => {
    const token = await signToken(SECRET, "lease", { job: "job_1" });
    expect(await verifyToken("another secret", "lease", token)).toBeNull();
    expect(await verifyToken(SECRET, "cursor", token)).toBeNull();
    for (const text of ["", "x", "a.b.c", `${token}x`]) {
      expect(await verifyToken(SECRET, "lease", text)).toBeNull();
    }
  });

  it("is worthless from its end on, which is rounded up to a second", async () => {
    const token = await signToken(SECRET, "lease", {}, NOW + 1);
    expect(await readAt(NOW + 999, token)).not.toBeNull();
    expect(await readAt(NOW + 1_000, token)).toBeNull();
  });

  it("never ends where it was given no end", async () => {
    const token = await signToken(SECRET, "lease", {});
    expect(await readAt(NOW + 100 * 365 * 86_400_000, token)).not.toBeNull();
  });

  it("is signed by HMAC with SHA-256 and by nothing else", async () => {
    const key = new TextEncoder().encode(SECRET.repeat(2));
    const by = (alg: string) => new SignJWT({}).setProtectedHeader({ alg }).setAudience("lease").sign(key);
    expect(await verifyToken(SECRET.repeat(2), "lease", await by("HS256"))).not.toBeNull();
    expect(await verifyToken(SECRET.repeat(2), "lease", await by("HS512"))).toBeNull();
    const unsigned = new UnsecuredJWT({}).setAudience("lease").encode();
    expect(await verifyToken(SECRET, "lease", unsigned)).toBeNull();
  });

  it("is not called forged when the runtime fails to look", async () => {
    const token = await signToken(SECRET, "lease", {});
    vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(new Error("out of memory"));
    await expect(verifyToken(SECRET, "lease", token)).rejects.toThrow("out of memory");
  });
});
