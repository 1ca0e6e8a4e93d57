import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Upload } from "../../../../src/uploads/contract/upload.ts";
import { dailyBytesOf } from "../../../../src/accounts/rules/budgets.ts";
import { presigner } from "../../../../src/shared/bucket/presigned-url.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { inspectUploads } from "../../../../src/uploads/operations/inspect-uploads.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { imageJob, newJob, PNG, presign, uploads } from "../../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { USUAL_EXTENSIONS } from "../../../support/media/extensions.ts";
import { home } from "../../../support/worker/runtime/databases.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const PATH = "/v1/uploads/presign";

describe("createUploadPresign 200", () => {
  it("answers with uploadUrl, taskId, bucket and expiresIn in seconds, the signature's real life [2.1-1 2.1-2 2.1-3 4.1-2 2.1-4]", async () => {
    const { status, body } = await client.send("POST", PATH, { contentType: "image/png" });
    expect(status).toBe(200);
    const upload = Upload.parse(body);
    const url = new URL(upload.uploadUrl);
    expect(upload.expiresIn).toBe(300);
    expect(url.searchParams.get("X-Amz-Expires")).toBe("300");
    expect(url.pathname).toBe(`/${upload.bucket}/inputs/${client.accountId}/${upload.taskId}`);
  });

  it("signs the content type [2.1-5]", async () => {
    const { body } = await client.send("POST", PATH, { contentType: "image/png" });
    expect(new URL(body.uploadUrl).searchParams.get("X-Amz-SignedHeaders")).toContain("content-type");
  });

  it.each<readonly [string, string]>([
    ...USUAL_EXTENSIONS,
    ["image/svg+xml", "svg-xml"],
    ["image/vnd.adobe.photoshop", "vnd.adobe.photoshop"],
    ["image/...", "bin"],
  ])("gives %s the extension %s [4.1-1 2.1-6]", async (contentType, extension) => {
    const { body } = await client.send("POST", PATH, { contentType });
    expect(body.taskId.slice(36)).toBe(`.${extension}`);
  });

  it("stores the upload's account", async () => {
    const { body } = await client.send("POST", PATH, { contentType: "image/png" });
    const row = await home.DB.prepare("SELECT account_id FROM uploads WHERE task_id = ?")
      .bind(body.taskId)
      .first();
    expect(row).toEqual({ account_id: client.accountId });
  });

  it("takes a content type of 100 characters", async () => {
    expect((await client.send("POST", PATH, { contentType: `image/${"x".repeat(94)}` })).status).toBe(200);
  });

  it("ignores unknown fields [4.3-23]", async () => {
    expect((await client.send("POST", PATH, { contentType: "image/png", extra: 1 })).status).toBe(200);
  });
});

describe("a size given to createUploadPresign", () => {
  const ask = (size: number, contentType = "image/png") => client.send("POST", PATH, { contentType, size });
  const bytesOfDay = async () => dailyBytesOf(await home.platform.uploads.use(client.accountId, Date.now()));

  it("is a part of the signature: storage computes another one of a request of another length [4.1-10]", async () => {
    const { body } = await ask(1_234);
    const url = new URL(body.uploadUrl);
    const value = (name: string) => url.searchParams.get(name) ?? "";
    expect(value("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
    // Verifies this URL like the storage.
    const signer = await presigner(
      {
        url: `${url.origin}/${body.bucket}`,
        accessKeyId: "test-access-key",
        secretAccessKey: "test-secret-key",
      },
      {
        method: "PUT",
        seconds: Number(value("X-Amz-Expires")),
        now: Date.parse(value("X-Amz-Date").replace(/(....)(..)(..T..)(..)/, "$1-$2-$3:$4:")),
        headers: ["content-length", "content-type"],
      },
    );
    const signatureOf = (length: number) =>
      signer.signature(inputKey(client.accountId, body.taskId), {
        "content-type": "image/png",
        "content-length": String(length),
      });
    expect(await signatureOf(1_234)).toBe(value("X-Amz-Signature"));
    for (const length of [0, 1_233, 1_235, 5_000_000_000])
      expect(await signatureOf(length)).not.toBe(value("X-Amz-Signature"));
  });

  it("is not signed without one: any length is accepted, as before", async () => {
    const { body } = await client.send("POST", PATH, { contentType: "image/png" });
    expect(new URL(body.uploadUrl).searchParams.get("X-Amz-SignedHeaders")).toBe("content-type;host");
  });

  it.each([
    ["image/png", "MAX_IMAGE_BYTES"],
    ["video/mp4", "MAX_VIDEO_BYTES"],
    ["application/octet-stream", "MAX_VIDEO_BYTES"],
  ])(
    "of more bytes of %s than a job takes is refused before anything is uploaded [4.1-10]",
    async (type, name) => {
      overrideSettings({ MAX_IMAGE_BYTES: 1_000_000, MAX_VIDEO_BYTES: 2_000_000 });
      const most = name === "MAX_IMAGE_BYTES" ? 1_000_000 : 2_000_000;
      expect((await ask(most, type)).status).toBe(200);
      expectError(await ask(most + 1, type), 400, "upload_too_large");
    },
  );

  it("counts at once toward the account's day, to the last byte of its budget [4.1-10]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 1_000 });
    expect((await ask(600)).status).toBe(200);
    expect(await bytesOfDay()).toBe(600);
    const refused = await ask(401);
    expectError(refused, 409, "too_many_uploads");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(23 * 3_600);
    expect((await ask(400)).status).toBe(200);
    expect(await bytesOfDay()).toBe(1_000);
    expectError(await ask(0), 409, "too_many_uploads");
  });

  it("accepts at most the budget's bytes in all, with any number of concurrent requests", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 1_000 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(300)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await bytesOfDay()).toBe(900);
  });

  it("leaves the service nothing to check: neither an event nor an inspection is needed [4.1-10]", async () => {
    const { body } = await ask(PNG.length);
    await env.MEDIA.put(inputKey(client.accountId, body.taskId), PNG);
    const inspection = vi.spyOn(Media.prototype, "peek");
    for (const hours of [0.2, 25, 24]) {
      later(hours * 3_600_000);
      await inspectUploads(home.platform, Date.now());
    }
    expect(inspection).not.toHaveBeenCalled();
  });
});

describe("createUploadPresign 400", () => {
  it.each([
    [{}],
    [{ contentType: null }],
    [{ contentType: 7 }],
    [{ contentType: "" }],
    [{ contentType: "image/" }],
    [{ contentType: "image/p ng" }],
    [{ contentType: "image/png; charset=utf-8" }],
    [{ contentType: "image/pñg" }],
    [{ contentType: "text/plain" }],
    [{ contentType: "application/pdf" }],
    [{ contentType: " image/png" }],
    [{ contentType: `image/${"x".repeat(95)}` }],
    [{ contentType: "image/png", size: -1 }],
    [{ contentType: "image/png", size: 1.5 }],
    [{ contentType: "image/png", size: "12" }],
    [{ contentType: "image/png", size: null }],
    [[]],
    ["image/png"],
  ])("refuses %j [4.1-1 7-2]", async (body) => {
    expectError(await client.send("POST", "/v1/uploads/presign", body), 400, "invalid_request");
  });
});

describe("createUploadPresign 409", () => {
  const ask = () => client.send("POST", PATH, { contentType: "image/png" });
  const rows = () =>
    home.DB.prepare("SELECT count(*) AS n FROM uploads WHERE account_id = ?")
      .bind(client.accountId)
      .first("n");

  it.each([
    ["trial", 100],
    ["blocked", 100],
  ] as const)("an account (%s) cannot have more than %i unused uploads [4.1-8]", async (plan, most) => {
    client = await newClient(plan);
    for (let i = 0; i < most; i += 1) await presign(client);
    const refused = await ask();
    expectError(refused, 409, "too_many_uploads");
    expect(refused.headers.get("retry-after"), "a job frees it, and no time that is known").toBeNull();
    expect(await rows()).toBe(most);
  });

  it("a paid account cannot have more unused uploads than its own setting says [4.1-8]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 3, TRIAL_MAX_UNUSED_UPLOADS: 1 });
    for (let i = 0; i < 3; i += 1) await presign(client);
    expectError(await ask(), 409, "too_many_uploads");
    expect(await newClient().then((other) => presign(other)), "another account is not touched").toBeTruthy();
  });

  it("accepts exactly as many of many concurrent requests as fit [4.1-8]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 5 });
    const answers = await Promise.all(Array.from({ length: 30 }, ask));
    const refused = answers.filter((answer) => answer.status !== 200);
    expect({ refused: refused.length, rows: await rows() }).toEqual({ refused: 25, rows: 5 });
    for (const answer of refused) expectError(answer, 409, "too_many_uploads");
  });

  it("makes room for as many uploads as an accepted job names", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2 });
    await newJob(client, 2);
    await uploads(client, 2);
    expectError(await ask(), 409, "too_many_uploads");
  });

  it("makes no room for a refused job's uploads", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2, MAX_ACTIVE_JOBS: 1 });
    await newJob(client, 1);
    const tasks = await uploads(client, 2);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 409, "too_many_active_jobs");
    expectError(await ask(), 409, "too_many_uploads");
  });
});
