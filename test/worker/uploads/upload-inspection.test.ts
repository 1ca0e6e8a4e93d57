import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dailyBytesOf } from "../../../src/accounts/rules/budgets.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { inspectUploads } from "../../../src/uploads/operations/inspect-uploads.ts";
import { sweep } from "../../../src/operator/operations/sweep.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob, PNG, presign, uploaded, uploads } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const PATH = "/v1/uploads/presign";

let client: Client;
beforeEach(async () => {
  client = await newClient();
  overrideSettings({ MAX_IMAGE_BYTES: 100, MAX_VIDEO_BYTES: 1_000 });
});

const keyOf = (taskId: string) => inputKey(client.accountId, taskId);
const put = (taskId: string, bytes: number) => env.MEDIA.put(keyOf(taskId), new Uint8Array(bytes));
const isThere = async (taskId: string) => (await env.MEDIA.head(keyOf(taskId))) !== null;
const inspect = (most?: number) => inspectUploads(home.platform, Date.now(), most);
const ask = () => client.send("POST", PATH, { contentType: "image/png" });
const sizes = async () =>
  (
    await home.DB.prepare("SELECT size FROM uploads ORDER BY created_at").all<{ size: number | null }>()
  ).results.map(({ size }) => size);

describe("the inspection of uploads", () => {
  it.each([
    ["image/png", 100],
    ["video/mp4", 1_000],
    ["application/octet-stream", 1_000],
  ])(
    "deletes an upload (%s) of more than %i bytes at once, and no smaller one [4.1-7]",
    async (contentType, most) => {
      const large = await presign(client, contentType);
      const fit = await presign(client, contentType);
      await put(large, most + 1);
      await put(fit, most);
      later(6 * MINUTE);
      await inspect();
      expect([await isThere(large), await isThere(fit)]).toEqual([false, true]);
    },
  );

  it("is made by the cron of every five minutes", async () => {
    const taskId = await presign(client);
    await put(taskId, 101);
    later(6 * MINUTE);
    await runCron(CRONS.report);
    expect(await isThere(taskId)).toBe(false);
  });

  it("comes after the upload's URL has expired, for until then it may be overwritten", async () => {
    const taskId = await presign(client);
    await put(taskId, 50);
    await inspect();
    expect(await sizes()).toEqual([null]);
    later(6 * MINUTE);
    await inspect();
    expect(await sizes()).toEqual([50]);
  });

  it("includes used uploads: an overwrite after the acceptance is deleted", async () => {
    const [taskId = ""] = await uploads(client, 1);
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
    await put(taskId, 101);
    later(6 * MINUTE);
    await inspect();
    expect(await isThere(taskId)).toBe(false);
  });

  it("is repeated once, a day after the presign: a late writer's object is not kept for the retention", async () => {
    const [taskId = ""] = await uploads(client, 1);
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
    later(6 * MINUTE);
    await inspect();
    await put(taskId, 101);
    later(10 * MINUTE);
    await inspect();
    expect(await isThere(taskId), "nobody looks in between").toBe(true);
    later(DAY);
    await inspect();
    expect(await isThere(taskId)).toBe(false);

    await put(taskId, 101);
    later(DAY);
    await inspect();
    expect(await isThere(taskId), "nor a third time").toBe(true);
  });

  it("looks at no more uploads in a run than it may, the oldest first; the next run continues", async () => {
    for (const bytes of [10, 20, 30]) {
      await put(await presign(client), bytes);
      later(1);
    }
    later(6 * MINUTE);
    await inspect(2);
    expect(await sizes()).toEqual([10, 20, null]);
    await inspect(2);
    expect(await sizes()).toEqual([10, 20, 30]);
  });

  it("leaves an upload that it can't look at now to the next run, and looks at the others", async () => {
    for (const bytes of [10, 20]) {
      await put(await presign(client), bytes);
      later(1);
    }
    later(6 * MINUTE);
    vi.spyOn(Media.prototype, "peek").mockRejectedValueOnce(new Error("the bucket is away"));
    await inspect();
    expect(await sizes()).toEqual([null, 20]);
    await inspect();
    expect(await sizes()).toEqual([10, 20]);
  });
});

describe("the bytes of an account's day", () => {
  it.each(["trial", "paid"] as const)(
    "an account (%s) cannot upload more of them than it may [4.1-6]",
    async (plan) => {
      client = await newClient(plan);
      overrideSettings({
        TRIAL_MAX_UPLOAD_BYTES_PER_DAY: plan === "trial" ? 120 : 1_000,
        MAX_UPLOAD_BYTES_PER_DAY: plan === "paid" ? 120 : 1_000,
      });
      for (const bytes of [60, 60]) await put(await presign(client), bytes);
      expect((await ask()).status).toBe(200);
      later(6 * MINUTE);
      await inspect();
      const refused = await ask();
      expectError(refused, 409, "too_many_uploads");
      expect(refused.body.message).toContain("more than 120 bytes within a day");
      client = await newClient(plan);
      expect((await ask()).status, "another account is not touched").toBe(200);
    },
  );

  it("are those of the last day: a day later the account may upload again [4.1-6]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 100 });
    await put(await presign(client), 100);
    later(6 * MINUTE);
    await inspect();
    const refused = await ask();
    expectError(refused, 409, "too_many_uploads");
    const seconds = Number(refused.headers.get("retry-after"));
    expect(refused.body.retryAfterSeconds).toBe(seconds);
    expect(seconds).toBeLessThanOrEqual(25 * 3_600);
    later((seconds - 30) * 1_000);
    expectError(await ask(), 409, "too_many_uploads");
    later(30_000);
    expect((await ask()).status).toBe(200);
    await sweep(home.platform, Date.now() + 60 * MINUTE);
    expect(await home.DB.prepare("SELECT count(*) AS n FROM upload_bytes").first("n")).toBe(0);
  });

  it("count deleted oversized files, and each upload once by its largest size", async () => {
    const taskId = await presign(client);
    const bytes = async () => dailyBytesOf(await home.platform.uploads.use(client.accountId, Date.now()));
    await put(taskId, 70);
    await home.platform.uploads.noteSize(taskId, 70);
    expect(await bytes()).toBe(70);
    await home.platform.uploads.noteSize(taskId, 50);
    expect(await bytes()).toBe(70);
    await put(taskId, 300);
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 400, "upload_too_large");
    expect(await bytes()).toBe(300);
  });
});

describe("createJob of an upload that is too large", () => {
  it("deletes it, and counts its bytes: a job request does not hide it from the inspection [4.1-7]", async () => {
    const taskId = await uploaded(client, new Uint8Array([...PNG, ...new Uint8Array(100)]));
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 400, "upload_too_large");
    expect(await isThere(taskId)).toBe(false);
    expect(await sizes()).toEqual([PNG.length + 100]);
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 409, "upload_incomplete");
  });

  it("keeps what another job could take: application/octet-stream of no more than a video's bytes", async () => {
    const taskId = await uploaded(client, new Uint8Array(1_000), "application/octet-stream");
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 400, "upload_too_large");
    expect(await isThere(taskId)).toBe(true);
  });
});
