import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { MultipartUpload } from "../../../../src/uploads/contract/upload.ts";
import { PART_BYTES } from "../../../../src/uploads/rules/parts.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { eraseAccount } from "../../../../src/operator/operations/erase-account.ts";
import { inspectUploads } from "../../../../src/uploads/operations/inspect-uploads.ts";
import { sweepUploads } from "../../../../src/uploads/operations/sweep-uploads.ts";
import { Uploads } from "../../../../src/uploads/store/uploads.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { imageJob, PNG, presign } from "../../../support/worker/fixtures/jobs.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const begin = async (size: number): Promise<MultipartUpload> =>
  (
    await client.send(
      "POST",
      "/v1/uploads/parts",
      { contentType: "image/png", size },
      { "idempotency-key": "mine" },
    )
  ).body;
const complete = (taskId: string, parts: object) =>
  client.send("POST", `/v1/uploads/${taskId}/complete`, { parts });
/** Applies the effect of a PUT of a part's URL to the bucket. */
async function put({ taskId, parts }: MultipartUpload, partNumber: number, bytes: Uint8Array) {
  const uploadId = new URL(parts[partNumber - 1]?.uploadUrl ?? "").searchParams.get("uploadId") ?? "";
  const upload = env.MEDIA.resumeMultipartUpload(inputKey(client.accountId, taskId), uploadId);
  return { partNumber, etag: `"${(await upload.uploadPart(partNumber, bytes)).etag}"` };
}
const digestOf = async (bytes: Uint8Array = new Uint8Array()) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).join();
const read = async (taskId: string) => (await env.MEDIA.get(inputKey(client.accountId, taskId)))?.bytes();

describe("completeMultipartUpload 200", () => {
  it("joins the parts in any order and number into one file, which a job accepts [4.1-15]", async () => {
    const file = new Uint8Array(PART_BYTES + 9).fill(7);
    file.set(PNG);
    const upload = await begin(file.length);
    const { taskId } = upload;
    const last = await put(upload, 2, file.subarray(PART_BYTES));
    await put(upload, 1, new Uint8Array(PART_BYTES));
    const first = await put(upload, 1, file.subarray(0, PART_BYTES));
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 409, "upload_incomplete");
    const { status, body } = await complete(taskId, [first, last]);
    expect([status, body]).toEqual([200, { taskId, size: file.length }]);
    expect(await digestOf(await read(taskId))).toBe(await digestOf(file));
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
  });

  it("is repeated without effect, even if the first answer was lost before it was noted [4.1-15]", async () => {
    const upload = await begin(PNG.length);
    const { taskId } = upload;
    const parts = [await put(upload, 1, PNG)];
    vi.spyOn(Uploads.prototype, "noteMultipart").mockRejectedValueOnce(new Error("cut off"));
    expect((await complete(taskId, parts)).status).toBe(500);
    for (let i = 0; i < 2; i += 1)
      expect(await complete(taskId, parts)).toMatchObject({
        status: 200,
        body: { taskId, size: PNG.length },
      });
    expect(await read(taskId)).toEqual(PNG);
    expect((await begin(PNG.length)).parts, "a later run of the client has nothing to send").toEqual([]);
  });
});

describe("completeMultipartUpload 400", () => {
  it.each([
    [{}],
    [{ parts: [] }],
    [{ parts: [{ partNumber: 0, etag: "a" }] }],
    [{ parts: [{ partNumber: 1 }] }],
  ])("refuses %j", async (body) => {
    const { taskId } = await begin(1);
    expectError(await client.send("POST", `/v1/uploads/${taskId}/complete`, body), 400, "invalid_request");
  });
});

describe("completeMultipartUpload 404", () => {
  it("upload_not_found: another account's, an unknown, a malformed and a deleted one alike", async () => {
    const { taskId } = await begin(1);
    const parts = [{ partNumber: 1, etag: '"a"' }];
    const other = await newClient();
    const foreign = await other.send("POST", `/v1/uploads/${taskId}/complete`, { parts });
    expectError(foreign, 404, "upload_not_found");
    const unknown = await complete(`${crypto.randomUUID()}.png`, parts);
    const malformed = await complete("x", parts);
    await client.send("DELETE", `/v1/uploads/${taskId}`);
    const deleted = await complete(taskId, parts);
    expect([unknown.body, malformed.body, deleted.body]).toEqual(Array(3).fill(foreign.body));
  });
});

describe("completeMultipartUpload 409", () => {
  it("upload_incomplete: a part is missing, named twice or has another ETag, and the upload continues [4.1-15]", async () => {
    const upload = await begin(PART_BYTES + 1);
    const { taskId } = upload;
    const first = await put(upload, 1, new Uint8Array(PART_BYTES));
    const never = { partNumber: 2, etag: `"${"0".repeat(32)}"` };
    for (const parts of [[first], [first, first], [first, never]])
      expectError(await complete(taskId, parts), 409, "upload_incomplete");
    const second = await put(upload, 2, new Uint8Array(1));
    expectError(await complete(taskId, [second, first]), 409, "upload_incomplete");
    expectError(await complete(taskId, [first, { ...second, etag: never.etag }]), 409, "upload_incomplete");
    expect((await complete(taskId, [first, second])).status).toBe(200);
  });

  it("upload_incomplete: a single-request upload can't be completed", async () => {
    const parts = [{ partNumber: 1, etag: '"a"' }];
    expectError(await complete(await presign(client), parts), 409, "upload_incomplete");
  });
});

describe("an upload in parts that is not completed", () => {
  it.each([
    ["its account deletes it", (taskId: string) => client.send("DELETE", `/v1/uploads/${taskId}`)],
    [
      "no job has used it within a day",
      () => {
        later(26 * 3_600_000);
        return sweepUploads(home.platform, Date.now());
      },
    ],
    ["its account is erased", () => eraseAccount(home.platform, client.accountId, Date.now())],
  ])("leaves no part in the bucket when %s [4.1-16]", async (_, end) => {
    const upload = await begin(PART_BYTES + 1);
    const parts = [await put(upload, 1, new Uint8Array(PART_BYTES))];
    await end(upload.taskId);
    await expect(put(upload, 2, new Uint8Array(1))).rejects.toThrow("10024");
    const key = inputKey(client.accountId, upload.taskId);
    const uploadId = new URL(upload.parts[0]?.uploadUrl ?? "").searchParams.get("uploadId") ?? "";
    await expect(
      env.MEDIA.resumeMultipartUpload(key, uploadId).complete(
        parts.map(({ partNumber, etag }) => ({ partNumber, etag: etag.replaceAll('"', "") })),
      ),
    ).rejects.toThrow("10024");
  });

  it("is aborted by the inspection if the bucket could not be reached at its deletion [4.1-16]", async () => {
    const upload = await begin(10);
    const away = vi.spyOn(home.platform.media, "abortParts").mockRejectedValue(new Error("away"));
    expect((await client.send("DELETE", `/v1/uploads/${upload.taskId}`)).status).toBe(204);
    away.mockRestore();
    later(1_000);
    await inspectUploads(home.platform, Date.now());
    await expect(put(upload, 1, new Uint8Array(10))).rejects.toThrow("10024");
  });
});
