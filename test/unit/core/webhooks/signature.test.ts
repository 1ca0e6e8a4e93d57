import fc from "fast-check";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newWebhookSecret, signedHeaders } from "../../../../src/core/webhooks/signature.ts";

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
  it("are verified by the package standardwebhooks with each of the secrets, whatever is signed, and by no other [A3-14]", async () => {
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
    // The example of the specification's text: https://github.com/standard-webhooks/standard-webhooks
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

  it("have no signature where there is no secret", async () => {
    expect((await signedHeaders([], "evt_1", BODY, 0))["webhook-signature"]).toBe("");
  });
});
