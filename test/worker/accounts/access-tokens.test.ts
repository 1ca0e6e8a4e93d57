import { exportSPKI, importJWK, SignJWT } from "jose";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  accountBy,
  accountCount,
  AUDIENCE,
  goodClaims,
  newProviderKey,
  FakeIdentityProvider,
  rawToken,
} from "../../support/worker/client/access-tokens.ts";
import { type Answer, send } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const seconds = () => Math.floor(Date.now() / 1_000);

describe("an access token", () => {
  let provider: FakeIdentityProvider;
  beforeEach(async () => {
    provider = await FakeIdentityProvider.start();
  });

  const expectRefused = async (token: string) => {
    const answer = await accountBy(token);
    expectError(answer, 401, "Unauthorized");
    expect(answer.body).toEqual({
      error: "Unauthorized",
      message: expect.stringContaining("key or access token is missing or invalid"),
    });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await accountCount()).toBe(0);
  };

  describe("lets its person in", () => {
    it("makes the account at the first valid token, a trial account with the token's profile [5-3 5-10]", async () => {
      const { status, body } = await accountBy(
        await provider.issue({ sub: "ada", email: "ada@example.com" }),
      );
      expect(status).toBe(200);
      expect(body).toEqual({
        accountId: expect.stringMatching(/^acct_[0-9a-f]{32}$/),
        email: "ada@example.com",
        emailVerified: true,
        image: "https://pictures.test/ada.png",
        name: "Ada",
        status: "active",
      });
      const row = await home.DB.prepare("SELECT issuer, subject, plan FROM accounts").first();
      expect(row).toEqual({ issuer: "https://identity.test", subject: "ada", plan: "trial" });
    });

    it("makes one account of many first requests at once [5-10]", async () => {
      const token = await provider.issue();
      const answers = await Promise.all(Array.from({ length: 20 }, () => accountBy(token)));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
      expect(new Set(answers.map((answer) => answer.body.accountId)).size).toBe(1);
      expect(await accountCount()).toBe(1);
    });

    it("keeps persons apart by their subject, never by their address", async () => {
      const one = await accountBy(await provider.issue({ sub: "one", email: "same@example.com" }));
      const other = await accountBy(await provider.issue({ sub: "other", email: "same@example.com" }));
      expect(other.body.accountId).not.toBe(one.body.accountId);
    });

    it("updates a changed profile; a claim that is absent says nothing; an address is verified by its own token", async () => {
      const sub = "ada";
      const { accountId } = (await accountBy(await provider.issue({ sub }))).body;
      const changed = await accountBy(
        await provider.issue({ sub, email: "new@example.com", email_verified: undefined, name: "Ada L." }),
      );
      expect(changed.body).toMatchObject({
        accountId,
        email: "new@example.com",
        emailVerified: false,
        name: "Ada L.",
      });
      const bare = { email: undefined, email_verified: undefined, name: undefined, picture: undefined };
      expect((await accountBy(await provider.issue({ sub, ...bare }))).body).toEqual(changed.body);
    });

    it("costs one read and no write if the token says nothing new", async () => {
      const token = await provider.issue();
      await accountBy(token);
      const prepare = vi.spyOn(home.DB, "prepare");
      const batch = vi.spyOn(home.DB, "batch");
      expect(
        (await send("GET", "/v1/api-keys", { headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(200);
      // The second belongs to the operation.
      expect(prepare.mock.calls.map(([sql]) => sql.trim().split(" ")[0])).toEqual(["SELECT", "SELECT"]);
      expect(batch).not.toHaveBeenCalled();
      const plan = await home.DB.prepare(
        "EXPLAIN QUERY PLAN SELECT id FROM accounts WHERE issuer = ?1 AND subject = ?2",
      )
        .bind("i", "s")
        .all<{ detail: string }>();
      expect(plan.results[0]?.detail).toContain("accounts_by_subject");
    });

    it("accepts a person without an address, and ignores malformed claims", async () => {
      const none = { email: undefined, email_verified: undefined, name: undefined, picture: undefined };
      const bare = await accountBy(await provider.issue(none));
      expect(bare.body).toMatchObject({ email: "", emailVerified: false, image: null, name: "" });
      const odd = {
        email: `${"a".repeat(400)}@example.com`,
        email_verified: "true",
        name: "n".repeat(201),
        picture: "javascript:alert(1)",
      };
      expect((await accountBy(await provider.issue(odd))).body).toMatchObject({
        email: "",
        emailVerified: false,
        image: null,
        name: "",
      });
    });

    it.each(["RS256", "ES256", "EdDSA"])("takes %s", async (alg) => {
      provider.key = await newProviderKey(alg);
      expect((await accountBy(await provider.issue())).status).toBe(200);
    });

    it("takes an audience among several, the types of an access token, and a clock that is a little off", async () => {
      const now = seconds();
      for (const token of [
        await provider.issue({ aud: ["https://other.test", AUDIENCE] }),
        await provider.issue({}, { header: { typ: "JWT" } }),
        await provider.issue({}, { header: { typ: "at+jwt" } }),
        await provider.issue({ exp: now - 20 }),
        await provider.issue({ nbf: now + 20 }),
      ]) {
        expect((await accountBy(token)).status).toBe(200);
      }
    });
  });

  describe("is refused", () => {
    it.each<[string, Record<string, unknown>]>([
      ["of another issuer", { iss: "https://identity.test.evil.test" }],
      ["of the issuer with a slash", { iss: "https://identity.test/" }],
      ["without an issuer", { iss: undefined }],
      ["for another audience", { aud: "https://other.test" }],
      ["for other audiences", { aud: ["https://other.test"] }],
      ["without an audience", { aud: undefined }],
      ["that never expires", { exp: undefined }],
      ["whose expiry is no number", { exp: "tomorrow" }],
      ["that has expired", { exp: 1 }],
      ["that is not in force yet", { nbf: 99_999_999_999 }],
      ["without a subject", { sub: undefined }],
      ["with an empty subject", { sub: "" }],
      ["with a subject that is no string", { sub: 7 }],
      ["with too long a subject", { sub: "s".repeat(256) }],
    ])("one %s [5-9]", async (_, claims) => {
      await expectRefused(await provider.issue(claims));
    });

    it("beyond the clock's tolerance [5-5 5-9]", async () => {
      await expectRefused(await provider.issue({ exp: seconds() - 31 }));
      await expectRefused(await provider.issue({ nbf: seconds() + 40 }));
      const token = await provider.issue({ exp: seconds() + 10 });
      expect((await accountBy(token)).status).toBe(200);
      later(41_000);
      expect((await accountBy(token)).status).toBe(401);
    });

    it("one of another purpose, by its type", async () => {
      for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt", "application/logout+jwt"]) {
        await expectRefused(await provider.issue({}, { header: { typ } }));
      }
    });

    it("one with another key's signature under the same id, or tampered with [5-8]", async () => {
      const other = await newProviderKey();
      await expectRefused(await provider.issue({}, { key: { ...other, kid: provider.key.kid } }));
      const [header, , signature] = (await provider.issue()).split(".");
      const [, claims] = rawToken({}, goodClaims()).split(".");
      await expectRefused([header, claims, signature].join("."));
    });

    it("one with another last character, even if its bytes are the same", async () => {
      const token = await provider.issue();
      for (const last of "ABQRghw0-_") {
        if (!token.endsWith(last)) await expectRefused(token.slice(0, -1) + last);
      }
      expect((await accountBy(token)).status).toBe(200);
    });

    it("one of an algorithm that is not on the list, unsigned ones too, without a fetch [5-8]", async () => {
      const { kid, jwk } = provider.key;
      const listed = { ...goodClaims() };
      const hidden = new TextEncoder().encode("a shared secret, thirty-two bytes long");
      const hmac = await new SignJWT(listed).setProtectedHeader({ alg: "HS256", kid }).sign(hidden);
      // The public key, known to everyone, as the secret of an HMAC.
      const rsa = await newProviderKey("RS256");
      const publicKey = await importJWK(rsa.jwk, "RS256");
      if (publicKey instanceof Uint8Array) throw new Error("a public key was expected");
      const confused = await new SignJWT(listed)
        .setProtectedHeader({ alg: "HS256", kid: rsa.kid })
        .sign(new TextEncoder().encode(await exportSPKI(publicKey)));
      const es384 = await newProviderKey("ES384");
      provider.answer = () => Response.json({ keys: [jwk, rsa.jwk, es384.jwk] });
      for (const token of [
        hmac,
        confused,
        await provider.issue({}, { key: es384 }),
        rawToken({ alg: "none" }, listed),
        rawToken({ alg: "none" }, listed, "AA"),
        rawToken({ alg: "None", kid }, listed, "AA"),
        rawToken({ alg: "", kid }, listed, "AA"),
        rawToken({ kid }, listed, "AA"),
        rawToken({ alg: ["ES256"], kid }, listed, "AA"),
        rawToken({ alg: "ES256", kid, crit: ["b64"], b64: false }, listed),
        "a.b.c",
        "e30.e30.e30",
        "....",
        `${"x".repeat(40_000)}.${"x".repeat(40_000)}.${"x".repeat(40_000)}`,
      ]) {
        await expectRefused(token);
      }
      expect(provider.fetches).toBe(0);
    });

    it("one with an embedded key [5-8]", async () => {
      const own = await newProviderKey();
      const header = {
        kid: own.kid,
        jwk: own.jwk,
        jku: "https://evil.test/jwks",
        x5u: "https://evil.test/cert",
      };
      await expectRefused(await provider.issue({}, { key: own, header }));
    });

    it("one that is longer than any credential, without a fetch", async () => {
      const token = await provider.issue({ padding: "x".repeat(100_000) });
      await expectRefused(token);
      expect(provider.fetches).toBe(0);
    });

    it("one of a suspended account, on the very next request, with any claims", async () => {
      const token = await provider.issue({ sub: "ada" });
      expect((await accountBy(token)).status).toBe(200);
      await home.DB.prepare("UPDATE accounts SET status = 'suspended'").run();
      const unknown = await accountBy("a.b.c");
      for (const next of [token, await provider.issue({ sub: "ada", name: "Another" })]) {
        const answer = await accountBy(next);
        expectError(answer, 401, "Unauthorized");
        expect(answer.body).toEqual(unknown.body);
      }
      expect(await home.DB.prepare("SELECT name FROM accounts").first("name")).toBe("Ada");
    });
  });

  it("creates a job as soon as a later token verifies the person's address [4.3-35]", async () => {
    const sub = "ada";
    const create = async (verified: boolean): Promise<Answer> => {
      const token = await provider.issue({ sub, email: "ada@example.com", email_verified: verified });
      return send("POST", "/v1/jobs", {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(imageJob([`${crypto.randomUUID()}.png`])),
      });
    };
    expectError(await create(false), 402, "email_unverified");
    // The credential is valid, but the account has no such upload.
    expectError(await create(true), 403, "task_not_owned");
  });

  it("works on every operation: it makes an API key for the same account [5-3]", async () => {
    const token = await provider.issue();
    const made = await send("POST", "/v1/api-keys", {
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "first",
      },
      body: JSON.stringify({ label: "mine" }),
    });
    expect(made.status).toBe(201);
    expect((await accountBy(made.body.secret)).body).toEqual((await accountBy(token)).body);
  });
});
