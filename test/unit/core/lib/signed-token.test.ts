import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signToken, verifyToken, decodeCursor, encodeCursor } from "../../../../src/core/lib/signed-token.ts";
import fc from "fast-check";

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

const LIST = ["acct_1", null, "batch", "success"];
const AFTER = "job_019aa0f61c4e7d2d9be7a5f40b8a6c21";

describe("a cursor", () => {
  it("leads back to the job that it was given for, with the same filters", async () => {
    const filters = fc.array(fc.option(fc.string()));
    await fc.assert(
      fc.asyncProperty(filters, fc.string(), async (of, after) => {
        expect(await decodeCursor(SECRET, of, await encodeCursor(SECRET, of, after))).toBe(after);
      }),
    );
  });

  it.each([
    ["account", ["acct_2", null, "batch", "success"]],
    ["job", ["acct_1", AFTER, "batch", "success"]],
    ["processing mode", ["acct_1", null, "single", "success"]],
    ["status", ["acct_1", null, "batch", null]],
    ["kind", ["acct_1", null, "batch"]],
  ])("is worthless in the list of another %s", async (_, list) => {
    const cursor = await encodeCursor(SECRET, LIST, AFTER);
    expect(await decodeCursor(SECRET, list, cursor)).toBeNull();
  });

  it("is worthless when it is forged", async () => {
    const forged = await encodeCursor("another secret", LIST, AFTER);
    for (const cursor of [forged, "", "x", `${forged}x`]) {
      expect(await decodeCursor(SECRET, LIST, cursor)).toBeNull();
    }
  });

  it("is nothing else that was signed by the same secret", async () => {
    const lease = await signToken(SECRET, "lease", { after: AFTER, of: "x" });
    expect(await decodeCursor(SECRET, LIST, lease)).toBeNull();
    const { length } = await encodeCursor(SECRET, LIST, AFTER);
    expect(length).toBeGreaterThan(0);
    for (const claims of [{}, { after: AFTER }, { after: 1, of: "x" }]) {
      expect(await decodeCursor(SECRET, LIST, await signToken(SECRET, "cursor", claims))).toBeNull();
    }
  });
});
