import { beforeEach, describe, expect, it, vi } from "vitest";
import { MultipartUpload } from "../../../../src/uploads/contract/upload.ts";
import { dailyBytesOf } from "../../../../src/accounts/rules/budgets.ts";
import { PART_BYTES } from "../../../../src/uploads/rules/parts.ts";
import { inspectUploads } from "../../../../src/uploads/operations/inspect-uploads.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const PATH = "/v1/uploads/parts";
const ask = (size: number, contentType = "video/mp4", key: string = crypto.randomUUID()) =>
  client.send("POST", PATH, { contentType, size }, { "idempotency-key": key });
const rows = () =>
  home.DB.prepare("SELECT count(*) AS n FROM uploads WHERE account_id = ?").bind(client.accountId).first("n");

describe("createMultipartUpload 201", () => {
  it("answers with a signed URL for each part, with its size in the signature [4.1-12]", async () => {
    const { status, body } = await ask(2 * PART_BYTES + 5);
    expect(status).toBe(201);
    const { taskId, parts, expiresIn } = MultipartUpload.parse(body);
    expect(taskId).toMatch(/\.mp4$/);
    expect(parts.map(({ partNumber, size }) => [partNumber, size])).toEqual([
      [1, PART_BYTES],
      [2, PART_BYTES],
      [3, 5],
    ]);
    const urls = parts.map(({ uploadUrl }) => new URL(uploadUrl));
    for (const [i, { pathname, searchParams }] of urls.entries()) {
      expect(pathname).toContain(`/inputs/${client.accountId}/${taskId}`);
      expect(searchParams.get("partNumber")).toBe(String(i + 1));
      expect(searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;host");
      expect(searchParams.get("X-Amz-Expires")).toBe(String(expiresIn));
    }
    expect(new Set(urls.map(({ searchParams }) => searchParams.get("uploadId"))).size).toBe(1);
  });

  it("is repeated with its Idempotency-Key: the same upload, with new URLs [4.1-13]", async () => {
    const first = await ask(10, "video/mp4", "mine");
    later(3_600_000);
    const again = await ask(10, "video/mp4", "mine");
    expect([again.status, again.replayed]).toEqual([201, "true"]);
    expect(again.body.taskId).toBe(first.body.taskId);
    const [before, after] = [first, again].map(({ body }) => new URL(body.parts[0].uploadUrl).searchParams);
    expect(after?.get("uploadId")).toBe(before?.get("uploadId"));
    expect(after?.get("X-Amz-Date")).not.toBe(before?.get("X-Amz-Date"));
    expect(await rows()).toBe(1);
  });

  it("continues if an interrupted run has left it: one row, one upload in the bucket [4.1-13]", async () => {
    vi.spyOn(Media.prototype, "beginParts").mockRejectedValueOnce(new Error("the bucket is away"));
    expect((await ask(10, "video/mp4", "mine")).status).toBe(500);
    const { status, body } = await ask(10, "video/mp4", "mine");
    expect([status, body.parts.length, await rows()]).toEqual([201, 1, 1]);
  });

  it("counts at once toward the account's day, and leaves nothing to look at [4.1-14]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 1_000 });
    expect((await ask(600)).status).toBe(201);
    expect(dailyBytesOf(await home.platform.uploads.use(client.accountId, Date.now()))).toBe(600);
    const refused = await ask(401);
    expectError(refused, 409, "too_many_uploads");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(23 * 3_600);
    const inspection = vi.spyOn(Media.prototype, "peek");
    later(25 * 3_600_000);
    await inspectUploads(home.platform, Date.now());
    expect(inspection).not.toHaveBeenCalled();
  });
});

describe("createMultipartUpload 400", () => {
  it.each([
    [{}],
    [{ contentType: "video/mp4" }],
    [{ contentType: "video/mp4", size: 0 }],
    [{ contentType: "video/mp4", size: 1.5 }],
    [{ contentType: "text/plain", size: 1 }],
  ])("refuses %j", async (body) => {
    expectError(await client.send("POST", PATH, body), 400, "invalid_request");
  });

  it("upload_too_large: no job takes that many bytes [4.1-14]", async () => {
    overrideSettings({ MAX_IMAGE_BYTES: 1_000_000, MAX_VIDEO_BYTES: 2_000_000 });
    expect((await ask(2_000_000)).status).toBe(201);
    expectError(await ask(2_000_001), 400, "upload_too_large");
    expectError(await ask(1_000_001, "image/png"), 400, "upload_too_large");
    expect(await rows()).toBe(1);
  });
});

describe("createMultipartUpload 404", () => {
  it("upload_not_found: the upload of the repeated request is deleted", async () => {
    const { body } = await ask(10, "video/mp4", "mine");
    await client.send("DELETE", `/v1/uploads/${body.taskId}`);
    expectError(await ask(10, "video/mp4", "mine"), 404, "upload_not_found");
  });
});

describe("createMultipartUpload 409", () => {
  it("too_many_uploads: of many concurrent requests, exactly as many as fit succeed [4.1-14]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 5 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(10)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(await rows()).toBe(5);
  });

  it("idempotency_mismatch: the key belongs to another file", async () => {
    await ask(10, "video/mp4", "mine");
    expectError(await ask(11, "video/mp4", "mine"), 409, "idempotency_mismatch");
  });
});
