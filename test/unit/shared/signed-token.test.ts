import { SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signToken, verifyToken, decodeCursor, encodeCursor } from "../../../src/shared/signed-token.ts";
import fc from "fast-check";
import { hkdfSync } from "node:crypto";
import { service } from "../../support/secrets.ts";

const SECRET = "a secret for tokens, of thirty-two bytes or more";
const SECRETS = service(SECRET);
const NOW = 1_800_000_000_000;

/** Returns the content of a token that is read at this time. */
async function readAt(now: number, token: string) {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  return verifyToken(SECRETS, "lease", token);
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a signed token", () => {
  it("tells its content to the holder of the secret who asks for its purpose", async () => {
    const token = await signToken(SECRETS, "lease", { job: "job_1" });
    expect(await verifyToken(SECRETS, "lease", token)).toMatchObject({ job: "job_1" });
  });

  it("is worthless by another secret, for another purpose, and when it is no token", async () => {
    const token = await signToken(SECRETS, "lease", { job: "job_1" });
    expect(await verifyToken(service("another secret"), "lease", token)).toBeNull();
    expect(await verifyToken(SECRETS, "cursor", token)).toBeNull();
    for (const text of ["", "x", "a.b.c", `${token}x`]) {
      expect(await verifyToken(SECRETS, "lease", text)).toBeNull();
    }
  });

  it("is worthless from its end on, which is rounded up to a second", async () => {
    const token = await signToken(SECRETS, "lease", {}, NOW + 1);
    expect(await readAt(NOW + 999, token)).not.toBeNull();
    expect(await readAt(NOW + 1_000, token)).toBeNull();
  });

  it("never ends if it was given no end", async () => {
    const token = await signToken(SECRETS, "lease", {});
    expect(await readAt(NOW + 100 * 365 * 86_400_000, token)).not.toBeNull();
  });

  it("is signed by HMAC with SHA-256 under HKDF's key for its purpose, which its header names, and by nothing else", async () => {
    const key = (info: string, bytes: number) => Buffer.from(hkdfSync("sha256", SECRET, "", info, bytes));
    const kid = key("key id", 9).toString("base64url");
    const by = (alg: string, purpose = "lease", id = kid) =>
      new SignJWT({})
        .setProtectedHeader({ alg, kid: id })
        .setAudience("lease")
        .sign(key(`token ${purpose}`, 32));
    expect(await verifyToken(SECRETS, "lease", await by("HS256"))).not.toBeNull();
    expect(await verifyToken(SECRETS, "lease", await by("HS512"))).toBeNull();
    expect(await verifyToken(SECRETS, "lease", await by("HS256", "cursor"))).toBeNull();
    expect(await verifyToken(SECRETS, "lease", await by("HS256", "lease", "another"))).toBeNull();
    const unsigned = new UnsecuredJWT({}).setAudience("lease").encode();
    expect(await verifyToken(SECRETS, "lease", unsigned)).toBeNull();
  });

  it("of the previous secret is good, but not one that another key signed under its id [A8-1]", async () => {
    const rotated = service("the next secret", { previous: SECRET });
    const token = await signToken(SECRETS, "lease", { job: "job_1" });
    expect(await verifyToken(rotated, "lease", token)).toMatchObject({ job: "job_1" });
    expect(await verifyToken(service("the next secret"), "lease", token)).toBeNull();
    const [header = ""] = token.split(".");
    const [, ...rest] = (await signToken(service("somebody's"), "lease", { job: "job_1" })).split(".");
    expect(await verifyToken(rotated, "lease", [header, ...rest].join("."))).toBeNull();
  });

  it("without a key id is good by no secret [A8-2]", async () => {
    const key = new Uint8Array(hkdfSync("sha256", SECRET, "", "token lease", 32));
    const signed = (header: { kid?: string }) =>
      new SignJWT({ job: "job_1" })
        .setProtectedHeader({ alg: "HS256", ...header })
        .setAudience("lease")
        .sign(key);
    const kid = Buffer.from(hkdfSync("sha256", SECRET, "", "key id", 9)).toString("base64url");
    expect(await verifyToken(SECRETS, "lease", await signed({ kid }))).toMatchObject({ job: "job_1" });
    expect(await verifyToken(SECRETS, "lease", await signed({}))).toBeNull();
  });

  it("is not called forged when the runtime fails to look", async () => {
    const token = await signToken(SECRETS, "lease", {});
    vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(new Error("out of memory"));
    await expect(verifyToken(SECRETS, "lease", token)).rejects.toThrow("out of memory");
  });
});

const LIST = ["acct_1", null, "batch", "success"];
const AFTER = "job_019aa0f61c4e7d2d9be7a5f40b8a6c21";

describe("a cursor", () => {
  it("continues at the job that it was made for, with the same filters", async () => {
    const filters = fc.array(fc.option(fc.string()));
    await fc.assert(
      fc.asyncProperty(filters, fc.string(), async (of, after) => {
        expect(await decodeCursor(SECRETS, of, await encodeCursor(SECRETS, of, after))).toBe(after);
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
    const cursor = await encodeCursor(SECRETS, LIST, AFTER);
    expect(await decodeCursor(SECRETS, list, cursor)).toBeNull();
  });

  it("is worthless when it is forged", async () => {
    const forged = await encodeCursor(service("another secret"), LIST, AFTER);
    for (const cursor of [forged, "", "x", `${forged}x`]) {
      expect(await decodeCursor(SECRETS, LIST, cursor)).toBeNull();
    }
  });

  it("is nothing else signed by the same secret", async () => {
    const lease = await signToken(SECRETS, "lease", { after: AFTER, of: "x" });
    expect(await decodeCursor(SECRETS, LIST, lease)).toBeNull();
    const { length } = await encodeCursor(SECRETS, LIST, AFTER);
    expect(length).toBeGreaterThan(0);
    for (const claims of [{}, { after: AFTER }, { after: 1, of: "x" }]) {
      expect(await decodeCursor(SECRETS, LIST, await signToken(SECRETS, "cursor", claims))).toBeNull();
    }
  });
});
