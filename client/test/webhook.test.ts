import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { SegmentationError, verifyWebhook, type WebhookEvent } from "segmentation-client";
import { Webhook } from "standardwebhooks";
import { describe, expect, expectTypeOf, it } from "vitest";

const secret = `whsec_${randomBytes(24).toString("base64")}`;

/** A request as the service sends it, signed by the standard's own library. */
function signed(body: string, at = new Date()) {
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
  };
  return { body, headers };
}

/** A good request whose clock is so many milliseconds off. */
function off(byMs: number): [string, Record<string, string>, string] {
  const { body, headers } = signed("{}", new Date(Date.now() + byMs));
  return [body, headers, secret];
}

describe("verifyWebhook", () => {
  it("gives the event of a request that the service has signed: text or bytes, headers of fetch or of Node", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (data) => {
        const { body, headers } = signed(`{"type":"test","data":${data}}`);
        const upper = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
        );
        for (const given of [headers, new Headers(headers), upper])
          for (const payload of [body, new TextEncoder().encode(body), Buffer.from(body)])
            expect(await verifyWebhook(payload, given, secret)).toEqual(JSON.parse(body));
      }),
      { numRuns: 25 },
    );
  });

  it("takes one good signature of several, as while a secret is rotated", async () => {
    const { body, headers } = signed("{}");
    const several = `v1a,x v1,!!! v1,${btoa("no")} ${headers["webhook-signature"]}`;
    expect(await verifyWebhook(body, { ...headers, "webhook-signature": several }, secret)).toEqual({});
  });

  it.each<[string, (good: ReturnType<typeof signed>) => Parameters<typeof verifyWebhook>]>([
    ["another body", ({ body, headers }) => [`${body} `, headers, secret]],
    ["another secret", ({ body, headers }) => [body, headers, `whsec_${btoa("another")}`]],
    ["another id", ({ body, headers }) => [body, { ...headers, "webhook-id": "evt_2" }, secret]],
    ["no signature", ({ body }) => [body, {}, secret]],
    ["a time of long ago", () => off(-301_000)],
    ["a time to come", () => off(302_000)],
    ["no time", ({ body, headers }) => [body, { ...headers, "webhook-timestamp": "soon" }, secret]],
  ])("refuses %s", async (_, change) => {
    const failure: unknown = await verifyWebhook(...change(signed("{}"))).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(failure).toMatchObject({ code: "invalid_signature", message: expect.stringContaining("401") });
  });

  it.each(["", "whsec_", "whsec_ä"])("says what is wrong with a secret that is none: %j", async (wrong) => {
    const { body, headers } = signed("{}");
    await expect(verifyWebhook(body, headers, wrong)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("has typed events: their type tells what their data is", () => {
    type Of<Type> = Extract<WebhookEvent, { type: Type }>["data"];
    expectTypeOf<Of<"test">>().toEqualTypeOf<{ endpointId: string }>();
    expectTypeOf<Extract<WebhookEvent, { data: { tasks: unknown } }>["type"]>().toEqualTypeOf<
      "job.succeeded" | "job.failed"
    >();
  });
});
