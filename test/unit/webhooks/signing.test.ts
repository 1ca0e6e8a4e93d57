import fc from "fast-check";
import { service } from "../../support/secrets.ts";
import { describe, expect, it } from "vitest";
import {
  MOST_SECRETS,
  OLD_SECRET_MS,
  rotated,
  sealSecrets,
  unsealSecrets,
  validSecrets,
  newWebhookSecret,
  signedHeaders,
  type WebhookSecret,
} from "../../../src/webhooks/rules/signing.ts";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const FIRST: readonly WebhookSecret[] = [{ secret: "first", validUntil: null }];

const namesAt = (secrets: readonly WebhookSecret[], now: number): string[] =>
  validSecrets(secrets, now).map(({ secret }) => secret);

describe("the secrets of an endpoint", () => {
  it("both sign for 24 hours after a rotation, the new one first [A3-7]", () => {
    const secrets = rotated(FIRST, "second", NOW) ?? [];
    expect(namesAt(secrets, NOW)).toEqual(["second", "first"]);
    expect(namesAt(secrets, NOW + 24 * HOUR - 1)).toEqual(["second", "first"]);
    expect(namesAt(secrets, NOW + 24 * HOUR)).toEqual(["second"]);
    expect(OLD_SECRET_MS).toBe(24 * HOUR);
  });

  it("end each a day after their rotation, so a lost answer costs nothing", () => {
    const second = rotated(FIRST, "lost", NOW) ?? [];
    const third = rotated(second, "third", NOW + HOUR) ?? [];
    expect(namesAt(third, NOW + HOUR)).toEqual(["third", "lost", "first"]);
    expect(namesAt(third, NOW + 24 * HOUR)).toEqual(["third", "lost"]);
    expect(namesAt(third, NOW + 25 * HOUR)).toEqual(["third"]);
  });

  it("are five at most at a time; a sixth has to wait until one has ended", () => {
    let secrets = FIRST;
    for (const name of ["2", "3", "4", "5"]) secrets = rotated(secrets, name, NOW) ?? [];
    expect(namesAt(secrets, NOW)).toHaveLength(MOST_SECRETS);
    expect(rotated(secrets, "6", NOW)).toBeNull();
    expect(namesAt(rotated(secrets, "6", NOW + 24 * HOUR) ?? [], NOW + 24 * HOUR)).toEqual(["6", "5"]);
  });

  it("after any rotations, one is in use, at most five are valid, and none ends before its day", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 * HOUR }), { maxLength: 30 }), (pauses) => {
        let now = NOW;
        let secrets = FIRST;
        const usedUntil = new Map<string, number>();
        for (const [i, pause] of pauses.entries()) {
          now += pause;
          const next = rotated(secrets, String(i), now);
          if (next === null) continue;
          const inUse = secrets[0]?.secret ?? "";
          usedUntil.set(inUse, now);
          secrets = next;
          expect(secrets.filter(({ validUntil }) => validUntil === null)).toHaveLength(1);
          const valid = namesAt(secrets, now);
          expect(valid.length).toBeLessThanOrEqual(MOST_SECRETS);
          for (const [secret, until] of usedUntil)
            expect(valid.includes(secret), secret).toBe(now < until + 24 * HOUR);
        }
      }),
    );
  });
});

describe("sealed secrets", () => {
  it("are readable only by the same service for the same endpoint", async () => {
    const sealed = await sealSecrets(service("a secret"), "whe_1", FIRST);
    expect(sealed).not.toContain("first");
    expect(await unsealSecrets(service("a secret"), "whe_1", sealed)).toEqual(FIRST);
    expect(await unsealSecrets(service("a secret"), "whe_2", sealed)).toBeNull();
    expect(await unsealSecrets(service("another secret"), "whe_1", sealed)).toBeNull();
    expect(await unsealSecrets(service("a secret"), "whe_1", "")).toBeNull();
  });
});

const BODY = '{"type":"test"}';

describe("a secret", () => {
  it("is whsec_ and base64 of 32 random bytes", () => {
    const secrets = Array.from({ length: 50 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(atob(secret.slice("whsec_".length))).toHaveLength(32);
    }
  });
});

describe("the headers of an attempt", () => {
  it("are verified by the package standardwebhooks with each valid secret, for any content, and with no other secret [A3-14]", async () => {
    const secrets = fc.array(fc.constant(null).map(newWebhookSecret), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(secrets, fc.uuid(), fc.json(), async (signing, id, body) => {
        const headers = await signedHeaders(signing, id, body, Date.now());
        for (const secret of signing)
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow(WebhookVerificationError);
        expect(() => new Webhook(signing[0] ?? "").verify(`${body} `, headers)).toThrow(
          WebhookVerificationError,
        );
        const another = { ...headers, "webhook-id": `${id}x` };
        expect(() => new Webhook(signing[0] ?? "").verify(body, another)).toThrow(WebhookVerificationError);
      }),
    );
  });

  it("are the specification's: the id, whole seconds, and a signature for each secret, separated by a space [A3-14]", async () => {
    // The example of the specification: https://github.com/standard-webhooks/standard-webhooks
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const body = '{"test": 2432232314}';
    const headers = await signedHeaders(
      [secret, secret],
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      body,
      1_614_265_330_999,
    );
    const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": `${signature} ${signature}`,
    });
  });

  it("have no signature if there is no secret", async () => {
    expect((await signedHeaders([], "evt_1", BODY, 0))["webhook-signature"]).toBe("");
  });
});
