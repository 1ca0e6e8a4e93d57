import { randomBytes } from "node:crypto";
import fc from "fast-check";
import {
  SegmentationError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from "segmentation-client";
import { Webhook } from "standardwebhooks";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

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

/** A good request whose clock is off by this many milliseconds. */
function off(byMs: number): [string, Record<string, string>, string] {
  const { body, headers } = signed("{}", new Date(Date.now() + byMs));
  return [body, headers, secret];
}

describe("verifyWebhook", () => {
  it("returns the event of a request that the service has signed: text or bytes, headers of fetch or of Node", async () => {
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

  const FORMS: [string, (headers: Readonly<Record<string, string>>) => WebhookHeaders][] = [
    [
      "a Map",
      (headers) => new Map(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ["pairs", (headers) => Object.entries(headers)],
    ["Node's rawHeaders", (headers) => Object.entries(headers).flat()],
    [
      "arrays of values",
      (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
    [
      "Lambda@Edge has them",
      (headers) => Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [{ key, value }]])),
    ],
    ["Headers of a package", (headers) => ({ entries: () => new Headers(headers).entries() })],
    ["an object with get alone", (headers) => ({ get: (name) => headers[name] })],
    ["an object without a prototype", (headers) => Object.assign(Object.create(null), headers)],
  ];

  it.each(FORMS)("takes headers as %s", async (_, form) => {
    const { body, headers } = signed('{"type":"test"}');
    expect(await verifyWebhook(body, form(headers), secret)).toEqual({ type: "test" });
    const forged = form({ ...headers, "webhook-signature": "v1,bm8=" });
    await expect(verifyWebhook(body, forged, secret)).rejects.toMatchObject({ code: "invalid_signature" });
  });

  it("takes an ArrayBuffer, and a secret from a file", async () => {
    const { body, headers } = signed('{"type":"test"}');
    const { buffer } = new TextEncoder().encode(body);
    expect(await verifyWebhook(buffer, headers, `${secret}\n`)).toEqual({ type: "test" });
  });

  const untyped = (value: unknown) => z.any().parse(value);
  it.each<[string, string, (good: ReturnType<typeof signed>) => Parameters<typeof verifyWebhook>]>([
    ["a parsed body", "express.raw(", ({ headers }) => [untyped({ type: "test" }), headers, secret]],
    ["no body", "express.raw(", ({ headers }) => [untyped(undefined), headers, secret]],
    ["no headers", "Give request.headers.", ({ body }) => [body, untyped(undefined), secret]],
    ["headers as text", "Give request.headers.", ({ body }) => [body, untyped("a: b"), secret]],
    [
      "a request",
      "Give request.headers.",
      ({ body }) => [body, untyped(new Request("https://a.test")), secret],
    ],
    [
      "a promise of headers",
      "Give request.headers.",
      ({ body }) => [body, untyped(Promise.resolve({})), secret],
    ],
    ["no secret", "secret is missing", ({ body, headers }) => [body, headers, untyped(undefined)]],
  ])("says what is wrong with %s, which is not a forged request", async (_, hint, change) => {
    const failure: unknown = await verifyWebhook(...change(signed("{}"))).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(failure).toMatchObject({ code: "invalid_input", message: expect.stringContaining(hint) });
  });

  it("rejects a signed body that is not JSON", async () => {
    const { body, headers } = signed("no");
    await expect(verifyWebhook(body, headers, secret)).rejects.toMatchObject({ code: "unreadable_answer" });
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

  it.each(["", "whsec_", "whsec_ä"])("says what is wrong with a malformed secret: %j", async (wrong) => {
    const { body, headers } = signed("{}");
    await expect(verifyWebhook(body, headers, wrong)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("has typed events: the type determines the data", () => {
    type Of<Type> = Extract<WebhookEvent, { type: Type }>["data"];
    expectTypeOf<Of<"test">>().toEqualTypeOf<{ endpointId: string }>();
    expectTypeOf<Extract<WebhookEvent, { data: { tasks: unknown } }>["type"]>().toEqualTypeOf<
      "job.succeeded" | "job.failed"
    >();
  });
});
