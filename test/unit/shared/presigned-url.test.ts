import { AwsClient } from "aws4fetch";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyInUrl, presigner } from "../../../src/shared/bucket/presigned-url.ts";

const url = fc.constantFrom(
  "https://0123456789abcdef.r2.cloudflarestorage.com/segmentation-media",
  "http://127.0.0.1:8787/cdn-cgi/local/r2/s3/segmentation-media",
  "https://storage.example.com:443/a%20bucket",
);
const credential = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 40 });
const bucket = fc.record({ url, accessKeyId: credential, secretAccessKey: credential });

/** The service's keys, and keys of any characters; no URL can name a segment of dots. */
const segment = fc.oneof(
  fc.constantFrom("masks", "0.png", "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", "job_019aa0f6"),
  fc
    .string({ unit: "binary", minLength: 1, maxLength: 12 })
    .map((text) => text.replaceAll("/", "!"))
    .filter((text) => text.isWellFormed() && !/^\.+$/.test(text)),
);
const key = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join("/"));

const seconds = fc.integer({ min: 1, max: 604_800 });
const now = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });

describe("a presigned URL", () => {
  const signedByOthers = async (
    { url: root, ...credentials }: { url: string; accessKeyId: string; secretAccessKey: string },
    objectKey: string,
    {
      method,
      headers,
      life,
      at,
    }: { method: string; headers: Record<string, string>; life: number; at: Date },
  ): Promise<string> => {
    const target = new URL(`${root}/${keyInUrl(objectKey)}`);
    target.searchParams.set("X-Amz-Expires", String(life));
    const datetime = at.toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
    const signed = await new AwsClient({ ...credentials, service: "s3", region: "auto" }).sign(target, {
      method,
      headers,
      aws: { signQuery: true, allHeaders: true, datetime },
    });
    return signed.url;
  };

  it("equals aws4fetch's byte for byte, for any key", async () => {
    await fc.assert(
      fc.asyncProperty(bucket, key, seconds, now, async (of, objectKey, life, at) => {
        const signer = await presigner(of, { method: "GET", seconds: life, now: at.getTime() });
        const ours = signer.url(objectKey, await signer.signature(objectKey));
        expect(ours).toBe(await signedByOthers(of, objectKey, { method: "GET", headers: {}, life, at }));
      }),
      { numRuns: 200 },
    );
  });

  it("equals aws4fetch's byte for byte with signed headers", async () => {
    const headers = fc.record({
      "content-type": fc.constantFrom("image/png", "application/json", "video/mp4"),
      "content-md5": fc.base64String({ minLength: 24, maxLength: 24 }),
      "content-length": fc.nat().map(String),
    });
    await fc.assert(
      fc.asyncProperty(bucket, key, seconds, now, headers, async (of, objectKey, life, at, values) => {
        const names = Object.keys(values);
        const access = { method: "PUT", seconds: life, now: at.getTime(), headers: names } as const;
        const signer = await presigner(of, access);
        const ours = signer.url(objectKey, await signer.signature(objectKey, values));
        const theirs = await signedByOthers(of, objectKey, { method: "PUT", headers: values, life, at });
        expect(ours).toBe(theirs);
      }),
      { numRuns: 100 },
    );
  });

  it("names its object, for any key", () => {
    fc.assert(
      fc.property(key, (objectKey) => {
        const { pathname } = new URL(`https://storage.example.com/${keyInUrl(objectKey)}`);
        expect(decodeURIComponent(pathname)).toBe(`/${objectKey}`);
      }),
    );
  });
});
