import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dailyBytesOf } from "../../../src/accounts/rules/budgets.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { inspectUploads } from "../../../src/uploads/operations/inspect-uploads.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { Uploads } from "../../../src/uploads/store/uploads.ts";
import { present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { deliver } from "../../support/worker/fakes/inference.ts";
import { imageJob, presign } from "../../support/worker/fixtures/jobs.ts";
import { planOf } from "../../support/worker/runtime/query-plans.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

let client: Client;
beforeEach(async () => {
  client = await newClient();
  overrideSettings({ MAX_IMAGE_BYTES: 100, MAX_VIDEO_BYTES: 1_000 });
});

const keyOf = (taskId: string) => inputKey(client.accountId, taskId);
/** Stores bytes. Returns the message that R2 sends about them. */
async function stored(taskId: string, bytes: number): Promise<object> {
  const object = await env.MEDIA.put(keyOf(taskId), new Uint8Array(bytes));
  return {
    account: "0123456789abcdef0123456789abcdef",
    bucket: "segmentation-media",
    action: "PutObject",
    object: { key: keyOf(taskId), size: bytes, eTag: present(object, "object").etag },
    eventTime: new Date().toISOString(),
  };
}
const tell = (...messages: object[]) => deliver("segmentation-uploads", ...messages);
const isThere = async (taskId: string) => (await env.MEDIA.head(keyOf(taskId))) !== null;
const inspect = () => inspectUploads(home.platform, Date.now());
const bytesOfDay = async () => dailyBytesOf(await home.platform.uploads.use(client.accountId, Date.now()));
const sizeOf = (taskId: string) =>
  home.DB.prepare("SELECT size FROM uploads WHERE task_id = ?1").bind(taskId).first<number>("size");

describe("an event of the bucket", () => {
  it("reports an upload's size, which counts at once, and makes both inspections unnecessary [4.1-11]", async () => {
    const [one, other] = [await presign(client), await presign(client)];
    const result = await tell(await stored(one, 40), await stored(other, 50));
    expect(result).toMatchObject({ explicitAcks: ["m0", "m1"], retryMessages: [] });
    expect([await sizeOf(one), await sizeOf(other), await bytesOfDay()]).toEqual([40, 50, 90]);
    const inspection = vi.spyOn(Media.prototype, "peek");
    for (const ms of [6 * MINUTE, DAY]) {
      later(ms);
      await inspect();
    }
    expect(inspection).not.toHaveBeenCalled();
  });

  it("ends the account's day as soon as its bytes are used up", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 100 });
    const taskId = await presign(client);
    await tell(await stored(taskId, 100));
    expectError(
      await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" }),
      409,
      "too_many_uploads",
    );
  });

  it("that comes twice, late or out of order counts once, by the most that was stored", async () => {
    const taskId = await presign(client);
    const [small, large] = [await stored(taskId, 30), await stored(taskId, 80)];
    await tell(large, small);
    await tell(small);
    later(2 * DAY);
    await tell(large);
    expect(await sizeOf(taskId)).toBe(80);
    const sums = await home.DB.prepare("SELECT sum(bytes) AS n FROM upload_bytes").first("n");
    expect(sums).toBe(80);
  });

  it.each([
    ["image/png", 100],
    ["video/mp4", 1_000],
  ])("has a file (%s) of more than %i bytes deleted at once, and no smaller one", async (type, most) => {
    const [large, fit] = [await presign(client, type), await presign(client, type)];
    await tell(await stored(large, most + 1), await stored(fit, most));
    expect([await isThere(large), await isThere(fit)]).toEqual([false, true]);
    expect(await bytesOfDay()).toBe(2 * most + 1);
  });

  it("deletes nothing for a replaced file: the present one decides", async () => {
    const taskId = await presign(client);
    const large = await stored(taskId, 101);
    const fit = await stored(taskId, 60);
    await tell(large, fit);
    await tell(large);
    expect(await isThere(taskId)).toBe(true);
  });

  it("has a deleted upload's late file deleted again, and the inspection forgets it as always", async () => {
    const taskId = await presign(client);
    await client.send("DELETE", `/v1/uploads/${taskId}`);
    await tell(await stored(taskId, 20));
    expect(await isThere(taskId)).toBe(false);
    later(DAY + 6 * MINUTE);
    await inspect();
    await inspect();
    expect(await sizeOf(taskId)).toBeNull();
    expect(await home.DB.prepare("SELECT count(*) AS n FROM uploads").first("n")).toBe(0);
  });

  it("of other bytes than a job has seen has the next job look again; of the same ones it writes nothing", async () => {
    const taskId = await presign(client);
    const bytesOf = (byte: number) => new Uint8Array(16).fill(byte);
    const eventOf = async (byte: number): Promise<object> => {
      const { etag } = present(await env.MEDIA.put(keyOf(taskId), bytesOf(byte)), "object");
      return {
        bucket: "segmentation-media",
        action: "PutObject",
        object: { key: keyOf(taskId), size: 16, eTag: etag },
        eventTime: new Date().toISOString(),
      };
    };
    const inspections = vi.spyOn(Media.prototype, "peek");
    const looksOfJob = async (): Promise<number> => {
      const before = inspections.mock.calls.length;
      expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
      return inspections.mock.calls.length - before;
    };
    const first = await eventOf(1);
    await tell(first);
    expect([await looksOfJob(), await looksOfJob()]).toEqual([1, 0]);
    await tell(first);
    expect(await looksOfJob()).toBe(0);
    await tell(await eventOf(2));
    expect([await looksOfJob(), await looksOfJob()]).toEqual([1, 0]);
    // The events of both in one batch, in any order.
    await tell(first, await eventOf(2));
    expect(await looksOfJob()).toBe(1);
  });

  it("that cannot be recorded now is delivered again, and is not lost", async () => {
    const taskId = await presign(client);
    const event = await stored(taskId, 20);
    vi.spyOn(Uploads.prototype, "noteStored").mockRejectedValueOnce(new Error("the database is away"));
    expect(await tell(event)).toMatchObject({
      ackAll: false,
      retryMessages: [{ msgId: "m0" }],
    });
    await tell(event);
    expect(await sizeOf(taskId)).toBe(20);
  });

  it("of a file that could not be deleted now deletes it when it comes again", async () => {
    const taskId = await presign(client);
    const event = await stored(taskId, 101);
    vi.spyOn(Media.prototype, "delete").mockRejectedValueOnce(new Error("the bucket is away"));
    expect(await tell(event)).toMatchObject({ retryMessages: [{ msgId: "m0" }] });
    expect(await isThere(taskId)).toBe(true);
    await tell(event);
    expect(await isThere(taskId)).toBe(false);
  });

  it("is recorded by one statement for a whole batch, which finds the uploads by their ids", async () => {
    const events = await Promise.all([10, 20, 30].map(async (bytes) => stored(await presign(client), bytes)));
    const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    await tell(...events);
    // With several databases, another query finds the batch's databases in the directory.
    expect(prepare).toHaveBeenCalledTimes(Math.min(2, home.platform.databases.length));
    expect(await planOf(String(prepare.mock.calls.at(-1)?.[0]))).toContainEqual(
      expect.stringMatching(/^SEARCH uploads USING .*autoindex_uploads_1 \(task_id=\?\)/),
    );
  });

  it("about anything but an upload of the service's is ignored: no row, no retry, nothing deleted", async () => {
    const event = await stored(await presign(client), 10);
    const lines = logged();
    const strangers = [
      { ...event, bucket: "another-bucket" },
      { ...event, action: "DeleteObject" },
      { ...event, object: { key: "outputs/a/b", size: 1, eTag: "" } },
      { v: 9 },
    ];
    expect(await tell(...strangers)).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(await bytesOfDay()).toBe(0);
    expect(lines()).toMatchObject([{ event: "bucket_events_ignored", ignored: 4 }]);
    const unknown = { key: keyOf(`${crypto.randomUUID()}.png`), size: 7, eTag: "" };
    await env.MEDIA.put(unknown.key, new Uint8Array(7));
    expect(await tell({ ...event, object: unknown })).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(await env.MEDIA.head(unknown.key)).not.toBeNull();
  });
});

describe("an event that is lost", () => {
  it("is found by the inspection: the size counts, an oversized file is deleted and logged [4.1-11]", async () => {
    const [announced, lost, large] = [await presign(client), await presign(client), await presign(client)];
    await tell(await stored(announced, 20));
    await stored(lost, 30);
    await stored(large, 101);
    later(6 * MINUTE);
    const lines = logged();
    await inspect();
    expect(await bytesOfDay()).toBe(20 + 30 + 101);
    expect([await isThere(announced), await isThere(lost), await isThere(large)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(lines()).toContainEqual(
      expect.objectContaining({ event: "uploads_inspected", due: 2, inspected: 2, unreported: 2 }),
    );
  });

  it("is found a day later too, if the file came late", async () => {
    const taskId = await presign(client);
    later(6 * MINUTE);
    await inspect();
    await stored(taskId, 101);
    later(DAY);
    await inspect();
    expect(await isThere(taskId)).toBe(false);
  });
});
