import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  accountBy,
  accountCount,
  newProviderKey,
  FakeIdentityProvider,
} from "../../support/worker/client/access-tokens.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const seconds = () => Math.floor(Date.now() / 1_000);

describe("an access token", () => {
  let provider: FakeIdentityProvider;
  beforeEach(async () => {
    provider = await FakeIdentityProvider.start();
  });

  const expectUnavailable = async (token: string, accounts = 0) => {
    const answer = await accountBy(token);
    expectError(answer, 503, "identity_provider_unavailable");
    expect(answer.body.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
    expect(await accountCount()).toBe(accounts);
  };

  describe("by the provider's keys", () => {
    it("fetches them once for many tokens", async () => {
      for (let i = 0; i < 5; i += 1) expect((await accountBy(await provider.issue())).status).toBe(200);
      expect(provider.fetches).toBe(1);
    });

    it("finds a rotated key at once, and refuses the withdrawn one when the keys at hand are too old", async () => {
      const old = provider.key;
      expect((await accountBy(await provider.issue())).status).toBe(200);
      provider.key = await newProviderKey();
      expect((await accountBy(await provider.issue())).status).toBe(200);
      expect(provider.fetches).toBe(2);
      expect((await accountBy(await provider.issue({}, { key: old }))).status).toBe(401);
    });

    it.each([8, 50])("finds a new key by one fetch for %i requests at once [5-8]", async (requests) => {
      expect((await accountBy(await provider.issue())).status).toBe(200);
      provider.key = await newProviderKey();
      const well = provider.answer;
      provider.answer = async () => {
        await scheduler.wait(30);
        return well();
      };
      const tokens = await Promise.all(Array.from({ length: requests }, () => provider.issue()));
      const answers = await Promise.all(tokens.map(accountBy));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: requests }, () => 200));
      expect(provider.fetches).toBe(2);
    });

    it("looks for a key again that a fetch in progress did not bring, because it began too early", async () => {
      expect((await accountBy(await provider.issue())).status).toBe(200);
      const [well, early] = [provider.answer, provider.key];
      const answered = Promise.withResolvers<void>();
      provider.answer = async () => {
        await answered.promise;
        provider.answer = well;
        return Response.json({ keys: [early.jwk] });
      };
      const forged = accountBy(await provider.issue({}, { key: await newProviderKey() }));
      await vi.waitUntil(() => provider.fetches === 2);
      provider.key = await newProviderKey();
      const valid = accountBy(await provider.issue());
      await scheduler.wait(20);
      answered.resolve();
      expect((await forged).status).toBe(401);
      expect((await valid).status).toBe(200);
      expect(provider.fetches).toBe(3);
    });

    it("looks up unknown keys a few times, and then answers 503: known keys notice nothing, and a new one is found within seconds", async () => {
      const [known, forged] = [await provider.issue(), await newProviderKey()];
      const forge = async (kid: string) => accountBy(await provider.issue({}, { key: { ...forged, kid } }));
      expect((await accountBy(known)).status).toBe(200);
      // Stops the clock.
      later(0);
      for (let i = 0; i < 3; i += 1) expect((await forge(`k${i}`)).status).toBe(401);
      const old = provider.key;
      provider.key = await newProviderKey();
      provider.answer = () => Response.json({ keys: [provider.key.jwk, old.jwk] });
      const fresh = await provider.issue();
      for (const token of [fresh, await provider.issue({}, { key: { ...forged, kid: "k4" } })]) {
        const answer = await accountBy(token);
        expectError(answer, 503, "identity_provider_unavailable");
        expect(answer.headers.get("retry-after")).toBe("5");
      }
      expect((await accountBy(known)).status).toBe(200);
      expect(provider.fetches).toBe(4);
      later(5_000);
      // The next fetch may be for a made-up key: it still brings the new key.
      expect((await forge("k5")).status).toBe(401);
      expect((await accountBy(fresh)).status).toBe(200);
      expect((await accountBy(known)).status).toBe(200);
      expect(provider.fetches).toBe(5);
    });

    it("forgets at once that a key was missing", async () => {
      const next = await newProviderKey();
      const token = await provider.issue({}, { key: next });
      expect((await accountBy(token)).status).toBe(401);
      provider.key = next;
      expect((await accountBy(token)).status).toBe(200);
    });

    it("makes no new fetch for some seconds after a failure, not for known keys either", async () => {
      const [known, forged] = [await provider.issue(), await newProviderKey()];
      expect((await accountBy(known)).status).toBe(200);
      const well = provider.answer;
      provider.answer = () => Promise.reject(new TypeError("Network connection lost"));
      for (let i = 0; i < 6; i += 1) await expectUnavailable(await provider.issue({}, { key: forged }), 1);
      expect(provider.fetches).toBe(2);
      later(11 * 60_000);
      for (let i = 0; i < 3; i += 1)
        expect((await accountBy(await provider.issue({ sub: "known" }))).status).toBe(200);
      expect(provider.fetches).toBe(3);
      provider.answer = well;
      later(5_000);
      expect((await accountBy(await provider.issue({}, { key: forged }))).status).toBe(401);
      expect(provider.fetches).toBe(4);
    });

    it("accepts known keys while the provider is away, for an hour after they have expired [5-11]", async () => {
      const token = await provider.issue({ sub: "ada", exp: seconds() + 86_400 });
      expect((await accountBy(token)).status).toBe(200);
      for (const answer of [
        () => new Response("sorry", { status: 503 }),
        () => Response.json({ keys: [] }),
        () => Response.json({ keys: [{ ...provider.key.jwk, use: "enc" }] }),
        () => new Response("<html>maintenance</html>"),
      ]) {
        provider.answer = answer;
        later(17 * 60_000);
        expect((await accountBy(token)).status).toBe(200);
        expect((await accountBy(token)).status).toBe(200);
      }
      // 68 minutes after the last good fetch, a failed one for each.
      expect(provider.fetches).toBe(5);
      later(3 * 60_000);
      await expectUnavailable(token, 1);
      expect(provider.fetches).toBe(6);
      later(5_000);
      provider.answer = () => Response.json({ keys: [provider.key.jwk] });
      expect((await accountBy(token)).status).toBe(200);
    });

    it.each<[string, () => Response | Promise<Response>]>([
      ["can't be reached", () => Promise.reject(new TypeError("Network connection lost"))],
      ["takes too long", () => Promise.reject(new DOMException("The operation timed out", "TimeoutError"))],
      ["fails", () => new Response("sorry", { status: 500 })],
      ["refuses", () => new Response("no", { status: 404 })],
      ["redirects", () => new Response(null, { status: 302, headers: { location: "https://evil.test/" } })],
      ["has nothing to say", () => new Response("")],
      ["answers with a page", () => new Response("<html>")],
      ["answers with other JSON", () => Response.json({ keys: "none" })],
      ["answers with a list", () => Response.json([])],
      ["answers without end", () => new Response(`{"keys":[${" ".repeat(300_000)}]}`)],
      [
        "publishes a broken key",
        () => Response.json({ keys: [{ kty: "EC", crv: "P-256", kid: "odd", x: "", y: "" }] }),
      ],
    ])(
      "answers 503, never 401, where the provider %s, and lets in when it is back [5-11]",
      async (_, answer) => {
        const well = provider.answer;
        provider.answer = answer;
        const odd = { ...provider.key, kid: "odd" };
        await expectUnavailable(await provider.issue({}, { key: odd }));
        provider.answer = well;
        later(5_000);
        expect((await accountBy(await provider.issue())).status).toBe(200);
      },
    );

    it("asks not to be redirected, and waits no longer than a few seconds", async () => {
      let asked: RequestInit | undefined;
      const well = provider.answer;
      provider.answer = (init) => {
        asked = init;
        return well();
      };
      await accountBy(await provider.issue());
      expect(asked).toMatchObject({ redirect: "manual", signal: expect.any(AbortSignal) });
    });

    it("accepts API keys in any state of the provider", async () => {
      provider.answer = () => new Response("sorry", { status: 500 });
      expect((await (await newClient()).send("GET", "/v1/account")).status).toBe(200);
      expect(provider.fetches).toBe(0);
    });
  });
});
