import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ImportedUpload } from "../../../../src/uploads/contract/upload.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { type Answer, type Client, newClient } from "../../../support/worker/client/api.ts";
import { imageJob, JPEG, MP4, PNG, presign } from "../../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { fakeSource } from "../../../support/worker/fakes/source.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import {
  uploads,
  BEGINNING,
  expectNothingLeft,
  URL_OF_IT,
  objects,
  picture,
  bytesOfTheDay,
  TWO_PARTS,
} from "../../../support/worker/fixtures/imports.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const importFrom = (url = URL_OF_IT): Promise<Answer> => client.send("POST", "/v1/uploads/import", { url });

describe("importUpload 201", () => {
  it.each([
    ["says its size", true, 200_000],
    ["does not say its size", false, 200_000],
    ["does not say its size, which is more than a part", false, TWO_PARTS],
  ])("stores the file of a source that %s [A6-1]", async (_, isPromised, size) => {
    fakeSource({ [URL_OF_IT]: { steps: picture(size), ...(isPromised && { size }) } });
    const { status, body } = await importFrom();
    expect(status).toBe(201);
    const { taskId, ...rest } = ImportedUpload.parse(body);
    expect(rest).toEqual({ contentType: "image/png", size });
    const object = await env.MEDIA.get(inputKey(client.accountId, taskId));
    expect(object?.httpMetadata).toEqual({ contentType: "image/png" });
    const whole = new Uint8Array(await new Blob([...picture(size)]).arrayBuffer());
    expect(Buffer.compare(new Uint8Array((await object?.arrayBuffer()) ?? []), whole)).toBe(0);
  });

  it("identifies the file by its bytes, or by the header for formats without known bytes [A6-4]", async () => {
    const files = [
      [PNG, "image/png", "image/png", ".png"],
      [JPEG, "image/png", "image/jpeg", ".jpg"],
      [MP4, "image/jpeg", "video/mp4", ".mp4"],
      [JPEG, "text/html; charset=utf-8", "image/jpeg", ".jpg"],
      [JPEG, "", "image/jpeg", ".jpg"],
      [new Uint8Array(90), "Image/JXL; q=1", "image/jxl", ".jxl"],
    ] as const;
    for (const [bytes, header, contentType, extension] of files) {
      const headers: Record<string, string> = header === "" ? {} : { "content-type": header };
      fakeSource({ [URL_OF_IT]: { steps: [bytes], headers } });
      const { status, body } = await importFrom();
      expect({ status, contentType: body.contentType }, header).toEqual({ status: 201, contentType });
      expect(String(body.taskId).slice(36)).toBe(extension);
    }
  });

  it("does not rely on a size if the source has encoded the bytes", async () => {
    const answer = { steps: [PNG], size: 5, headers: { "content-encoding": "gzip" } };
    fakeSource({ [URL_OF_IT]: answer });
    expect(await importFrom()).toMatchObject({ status: 201, body: { size: PNG.length } });
  });

  it("follows two redirects, each to any allowed address [A6-3]", async () => {
    const source = fakeSource({
      [URL_OF_IT]: { status: 302, headers: { location: "/other" } },
      "https://pictures.example/other": { status: 308, headers: { location: "//cdn.example/cat.png" } },
      "https://cdn.example/cat.png": { steps: [PNG] },
    });
    expect((await importFrom()).status).toBe(201);
    expect(source.requests.map(({ url }) => url)).toEqual([
      URL_OF_IT,
      "https://pictures.example/other",
      "https://cdn.example/cat.png",
    ]);
  });

  it("shows the source no credential, and follows no redirect unseen", async () => {
    const source = fakeSource({ [URL_OF_IT]: { steps: [PNG] } });
    await importFrom();
    expect(source.requests.map(({ method, redirect }) => `${method} ${redirect}`)).toEqual(["GET manual"]);
    expect(Object.fromEntries(source.requests[0]?.headers ?? [])).toEqual({
      accept: "image/*, video/*, */*;q=0.1",
      "accept-encoding": "identity",
      "user-agent": "segmentation-job-service",
    });
  });

  it("makes an upload that a job takes, and counts its bytes as uploaded [A6-1]", async () => {
    fakeSource({ [URL_OF_IT]: { steps: picture(1_000), size: 1_000 } });
    const { body } = await importFrom();
    expect(await bytesOfTheDay(client)).toBe(1_000);
    expect((await client.send("POST", "/v1/jobs", imageJob([body.taskId]))).status).toBe(202);
  });
});

describe("importUpload 400", () => {
  it("refuses a body without a URL of 1 to 2,048 characters", async () => {
    const tooLong = `https://example.com/${"a".repeat(2_048)}`;
    for (const body of [{}, { url: null }, { url: "" }, { url: tooLong }, []]) {
      expectError(await client.send("POST", "/v1/uploads/import", body), 400, "invalid_request");
    }
  });

  it("never requests a URL that the rule for public URLs refuses [A6-2]", async () => {
    const source = fakeSource({});
    for (const url of [
      "http://pictures.example/cat.jpg",
      "https://0x7f.1/cat.jpg",
      "https://[::ffff:10.0.0.1]/cat.jpg",
      "https://user@pictures.example/cat.jpg",
      "https://api.test/v1/account",
      "http://127.0.0.1:9000/cat.jpg",
      "cat.jpg",
    ]) {
      expectError(await importFrom(url), 400, "url_forbidden", url);
    }
    expect(source.requests).toEqual([]);
  });

  it("takes a local URL if a setting allows it [A6-2]", async () => {
    overrideSettings({ ALLOW_LOCAL_URLS: true });
    fakeSource({ "http://127.0.0.1:9000/cat.jpg": { steps: [PNG] } });
    expect((await importFrom("http://127.0.0.1:9000/cat.jpg")).status).toBe(201);
  });

  it("follows no redirect to a URL that the rule refuses [A6-3]", async () => {
    for (const location of [
      "https://169.254.169.254/latest/meta-data/",
      "http://cdn.example/cat.jpg",
      "https://api.test/",
      "data:image/png;base64,AAAA",
    ]) {
      const source = fakeSource({ [URL_OF_IT]: { status: 301, headers: { location } } });
      expectError(await importFrom(), 400, "url_forbidden", location);
      expect(source.requests).toHaveLength(1);
      await expectNothingLeft(source);
    }
  });

  it("refuses a file that is neither a picture nor a video, by its bytes and by its header [A6-4]", async () => {
    const page = new TextEncoder().encode("<!doctype html>");
    for (const [bytes, type] of [
      [page, "text/html"],
      [new Uint8Array(100), "application/octet-stream"],
      [new Uint8Array(100), "image/"],
    ] as const) {
      const source = fakeSource({ [URL_OF_IT]: { steps: [bytes], headers: { "content-type": type } } });
      expectError(await importFrom(), 400, "import_type_unsupported", type);
      await expectNothingLeft(source);
    }
  });

  it.each([
    ["promises to be", PNG, { size: 1_001 }, 12],
    ["turns out to be", PNG, {}, 1_036],
    ["as a video turns out to be", MP4, {}, 2_064],
  ])("refuses a file that %s larger than its kind may be [A6-4]", async (_, head, promise, fetched) => {
    overrideSettings({ MAX_IMAGE_BYTES: 1_000, MAX_VIDEO_BYTES: 2_000 });
    const endless = (function* () {
      yield head;
      for (;;) yield new Uint8Array(256);
    })();
    const source = fakeSource({ [URL_OF_IT]: { steps: endless, ...promise } });
    const refused = await importFrom();
    expectError(refused, 400, "upload_too_large");
    await expectNothingLeft(source);
    expect(await bytesOfTheDay(client), "what was stored counts").toBe("size" in promise ? 0 : fetched);
  });

  it("stores a file that is as large as its kind may be", async () => {
    overrideSettings({ MAX_IMAGE_BYTES: 1_000 });
    fakeSource({ [URL_OF_IT]: { steps: picture(1_000), size: 1_000 } });
    expect((await importFrom()).status).toBe(201);
  });
});

describe("importUpload 409", () => {
  it("has the budget of unused uploads, which it shares with presigned ones [A6-6]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2 });
    const source = fakeSource({ [URL_OF_IT]: { steps: [PNG] } });
    await presign(client);
    expect((await importFrom()).status).toBe(201);
    expectError(await importFrom(), 409, "too_many_uploads");
    expectError(
      await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" }),
      409,
      "too_many_uploads",
    );
    expect(source.requests, "no request is wasted").toHaveLength(1);
  });

  it("has the budget of a day's bytes, which failed imports also use [A6-6]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 1_000 });
    const steps = function* () {
      yield* picture(1_000);
      yield "failure" as const;
    };
    fakeSource({ [URL_OF_IT]: { steps: steps() } });
    expectError(await importFrom(), 502, "import_failed");
    const refused = await importFrom();
    expectError(refused, 409, "too_many_uploads");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("accepts exactly as many of many concurrent requests as fit [A6-6]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 3 });
    fakeSource(
      Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [`${URL_OF_IT}?${i}`, { steps: [PNG], size: PNG.length }]),
      ),
    );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => importFrom(`${URL_OF_IT}?${i}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect({ objects: (await objects()).length, uploads: await uploads() }).toEqual({
      objects: 3,
      uploads: 3,
    });
  });
});

describe("importUpload 500", () => {
  it.each([
    ["an object", PNG.length, "writeStream"],
    ["a part", undefined, "write"],
  ] as const)("leaves nothing where storage fails to write %s [A6-7]", async (_, size, method) => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Media.prototype, method).mockRejectedValue(new Error("storage is down"));
    const source = fakeSource({ [URL_OF_IT]: { steps: [PNG], ...(size !== undefined && { size }) } });
    expectError(await importFrom(), 500, "internal_error");
    await expectNothingLeft(source);
  });

  it("keeps the record, and with it the sweep's sight of the object, where storage cannot delete", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Media.prototype, "delete").mockRejectedValue(new Error("storage is down"));
    fakeSource({ [URL_OF_IT]: { steps: [BEGINNING, "failure"], size: 200 } });
    expectError(await importFrom(), 502, "import_failed");
    expect(await uploads()).toBe(1);
  });
});
