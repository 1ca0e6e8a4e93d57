import { env } from "cloudflare:workers";
import { strFromU8, unzipSync } from "fflate";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ArchiveDownload } from "../../../../src/jobs/contract/archive.ts";
import { ArchivedImageManifest, ArchivedVideoManifest } from "../../../../src/jobs/contract/result.ts";
import { outputsPrefix } from "../../../../src/shared/bucket/object-keys.ts";
import { buildArchive } from "../../../../src/archives/operations/build-archive.ts";
import { MOST_ARCHIVES } from "../../../../src/jobs/rules/archive.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { deliverArchive, ring, successfulJob } from "../../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../../support/worker/fixtures/jobs.ts";
import { at, present } from "../../../support/at.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { isLong } from "../../../support/worker/client/random.ts";

const DAY = 86_400_000;

describe("retrieveJobDownload 200", () => {
  let client: Client;
  let job: { jobId: string; tasks: string[] };
  beforeEach(async () => {
    client = await newClient();
    job = await successfulJob(client, 2, 3);
    await client.send("POST", `/v1/jobs/${job.jobId}/download`);
  });

  const path = () => `/v1/jobs/${job.jobId}/download`;
  const poll = async () => {
    const { status, body } = await client.send("GET", path());
    expect(status).toBe(200);
    return ArchiveDownload.parse(body);
  };
  const objectOf = async (downloadUrl: string | null) => {
    const { pathname } = new URL(present(downloadUrl, "downloadUrl"));
    return env.MEDIA.get(pathname.split("/").slice(2).join("/"));
  };
  const filesOf = async (object: R2ObjectBody | null) =>
    unzipSync(new Uint8Array(await present(object, "archive").arrayBuffer()));
  const textOf = (files: Record<string, Uint8Array>, name: string) => strFromU8(at(files, name));

  it("is ready once built, expires 24 hours later, and is signed again on each call for 300 seconds [2.6-2 4.7-1 2.6-6 2.6-7 2.6-8]", async () => {
    expect(await poll()).toMatchObject({ status: "pending", retryAfterSeconds: 2 });
    const before = Date.now();
    await deliverArchive(job.jobId);
    const ready = await poll();
    expect(ready).toMatchObject({ status: "ready", retryAfterSeconds: null, error: null });
    const expiresAt = Date.parse(present(ready.expiresAt, "expiresAt"));
    expect(expiresAt).toBeGreaterThanOrEqual(before + DAY);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + DAY);
    expect(new URL(present(ready.downloadUrl, "downloadUrl")).searchParams.get("X-Amz-Expires")).toBe("300");
    later(2_000);
    expect((await poll()).downloadUrl).not.toBe(ready.downloadUrl);
  });

  it("holds every asset under its key, and the manifest with archive-relative references [2.6-3 2.6-4 2.6-5]", async () => {
    await deliverArchive(job.jobId);
    const object = await objectOf((await poll()).downloadUrl);
    expect(object?.httpMetadata).toEqual({
      contentType: "application/zip",
      contentDisposition: `attachment; filename="${job.jobId}.zip"`,
    });
    const files = await filesOf(object);
    const manifest = ArchivedImageManifest.parse(JSON.parse(textOf(files, "output_manifest.json")));
    const named = manifest.items.flatMap((item) => [...item.masks.map((mask) => mask.url), item.previewUrl]);
    expect(named).toEqual(
      job.tasks.flatMap((task) =>
        [0, 1, 2].map((i) => `masks/${task}/${i}.png`).concat(`preview/${task}.png`),
      ),
    );
    expect(Object.keys(files)).toEqual(["output_manifest.json", ...named]);
    expect(textOf(files, `masks/${job.tasks[1]}/2.png`)).toBe(`bytes of ${job.tasks[1]} masks/2.png`);
  });

  it("holds a video's masks and preview under their keys, and its manifest with archive-relative references [2.6-3 2.5-11 2.6-4]", async () => {
    const { jobId, taskId } = await newVideoJob(client, { generatePreview: true, fps: 2 });
    const completion = videoSuccess(4, { preview: "preview.mp4" });
    await finishJob(new FakeInference(), client.accountId, jobId, [taskId], () => completion);
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    const { body } = await client.send("GET", `/v1/jobs/${jobId}/download`);
    expect(ArchiveDownload.parse(body)).toMatchObject({ jobId, status: "ready", error: null });

    const object = await objectOf(body.downloadUrl);
    const files = await filesOf(object);
    const [masks, preview] = [`masks/${taskId}/masks.json`, `preview/${taskId}.mp4`];
    expect(Object.keys(files)).toEqual(["output_manifest.json", masks, preview]);
    expect(textOf(files, masks)).toBe(`bytes of ${taskId} masks.json`);
    expect(textOf(files, preview)).toBe(`bytes of ${taskId} preview.mp4`);
    const manifest: unknown = JSON.parse(textOf(files, "output_manifest.json"));
    expect(ArchivedVideoManifest.parse(manifest)).toMatchObject({
      jobId,
      type: "video",
      items: [{ taskId, units: 4, masks, previewUrl: preview, fps: 2, scoreThreshold: 0 }],
    });
  });

  it("is purged 24 hours after it became ready; then it may be requested again [2.6-8]", async () => {
    await deliverArchive(job.jobId);
    const { downloadUrl } = await poll();
    later(DAY - 60_000);
    await ring(job.jobId);
    expect(await poll()).toMatchObject({ status: "ready" });
    later(61_000);
    await ring(job.jobId);
    expect(await objectOf(downloadUrl)).toBeNull();
    expectError(await client.send("GET", path()), 404, "download_not_requested");
    expect((await client.send("POST", path())).body).toMatchObject({ status: "pending" });
  });

  it("has failed, by name, when an output is gone; asked for again it is started again [3.2-3 2.6-10]", async () => {
    const { objects } = await env.MEDIA.list({ prefix: outputsPrefix(client.accountId, job.jobId) });
    const gone = at(objects, 0).key;
    const bytes = await present(await env.MEDIA.get(gone), "output").text();
    await env.MEDIA.delete(gone);
    await deliverArchive(job.jobId);
    expect(await poll()).toMatchObject({
      status: "failed",
      downloadUrl: null,
      error: expect.stringMatching(/^archive_output_missing: /),
    });
    await env.MEDIA.put(gone, bytes);
    expect((await client.send("POST", path())).body).toMatchObject({ status: "pending", error: null });
    await deliverArchive(job.jobId);
    expect(await poll()).toMatchObject({ status: "ready" });
  });

  it("is written in equal parts when it is large, and comes out byte for byte", async () => {
    const { objects } = await env.MEDIA.list({ prefix: outputsPrefix(client.accountId, job.jobId) });
    const large = new Uint8Array(5_700_000).map((_, i) => (i * 2_654_435_761) >>> 13);
    for (const { key } of objects.slice(0, 3)) await env.MEDIA.put(key, large);
    await deliverArchive(job.jobId);

    const object = await objectOf((await poll()).downloadUrl);
    // Of three parts, by R2's form of the ETag; R2 requires equal sizes, except for the last.
    expect(object?.etag).toMatch(/-3$/);
    const files = await filesOf(object);
    const same = Object.values(files).filter(
      (file) => file.length === large.length && crypto.subtle.timingSafeEqual(file, large),
    );
    expect(same).toHaveLength(3);
  });

  it.runIf(isLong)("has failed, by name, when it would hold more files than a zip can [3.2-3]", async () => {
    const inference = new FakeInference();
    // A mask and its cutout are two files.
    const many = await newJob(client, 4, { formats: ["cutout"] });
    for (const taskId of many.tasks) {
      await deliverTask(many.jobId, taskId);
      await callBack(inference.last, "complete", success(8_200, { cutout: true }));
    }
    await client.send("POST", `/v1/jobs/${many.jobId}/download`);
    await deliverArchive(many.jobId);
    const { body } = await client.send("GET", `/v1/jobs/${many.jobId}/download`);
    expect(body).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^archive_too_many_files: /),
    });
    expect((await env.MEDIA.list({ prefix: `archives/${client.accountId}/${many.jobId}` })).objects).toEqual(
      [],
    );
  });

  it("has failed, by name, when it would be larger than a zip can be, and leaves nothing in the bucket [3.2-3]", async () => {
    await buildArchive(home.platform, job.jobId, 500);
    expect(await poll()).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^archive_too_large: /),
    });
    expect((await env.MEDIA.list({ prefix: "archives/" })).objects).toEqual([]);
  });

  it("is not built endlessly: a job that has had its last archive says so, without a message", async () => {
    const { objects } = await env.MEDIA.list({ prefix: outputsPrefix(client.accountId, job.jobId) });
    await env.MEDIA.delete(objects.map(({ key }) => key));
    for (let i = 1; i < MOST_ARCHIVES; i += 1) {
      await deliverArchive(job.jobId);
      expect((await client.send("POST", path())).body).toMatchObject({ status: "pending" });
    }
    await deliverArchive(job.jobId);
    const failed = { status: "failed", error: expect.stringMatching(/^archive_too_often: /) };
    const sent = vi.spyOn(Queues.prototype, "sendArchive");
    for (let i = 0; i < 3; i += 1) expect((await client.send("POST", path())).body).toMatchObject(failed);
    expect(await poll()).toMatchObject(failed);
    expect(sent).not.toHaveBeenCalled();
  });

  it("is built once although the message came twice, at once and later", async () => {
    await Promise.all([deliverArchive(job.jobId), deliverArchive(job.jobId)]);
    await deliverArchive(job.jobId);
    expect(await poll()).toMatchObject({ status: "ready" });
    const { objects } = await env.MEDIA.list({ prefix: "archives/" });
    expect(objects).toHaveLength(1);
  });

  it("is built by another when its builder was cut off [4.7-1 3.2-2 2.6-6]", async () => {
    const stub = env.JOBS.getByName(job.jobId);
    const cutOff = await stub.claimArchive();
    expect(await poll()).toMatchObject({ status: "processing", retryAfterSeconds: 5 });
    later(61_000);
    await ring(job.jobId);
    later(10_000);
    await deliverArchive(job.jobId);
    expect(await poll()).toMatchObject({ status: "ready" });
    expect(await stub.completeArchive(present(cutOff, "claim").lease, { outcome: "ready" })).toBe(false);
  });
});

describe("retrieveJobDownload 404", () => {
  it("says that no archive was requested before any POST [7-6 2.6-11]", async () => {
    const client = await newClient();
    const { jobId } = await successfulJob(client);
    expectError(await client.send("GET", `/v1/jobs/${jobId}/download`), 404, "download_not_requested");
  });
});

describe("retrieveJobDownload 409", () => {
  it("meets no conflict: of a job that is not success no archive was requested, which is 404 [4.7-2]", async () => {
    const client = await newClient();
    const poll = (jobId: string) => client.send("GET", `/v1/jobs/${jobId}/download`);
    const request = (jobId: string) => client.send("POST", `/v1/jobs/${jobId}/download`);
    const inference = new FakeInference();
    const [queued, processing, failed] = [await newJob(client), await newJob(client), await newJob(client)];
    await deliverTask(processing.jobId, processing.taskId);
    await finishJob(inference, client.accountId, failed.jobId, failed.tasks, () => failure(false));
    for (const { jobId } of [queued, processing, failed]) {
      expectError(await poll(jobId), 404, "download_not_requested");
      expectError(await request(jobId), 409, "job_not_downloadable");
      expectError(await poll(jobId), 404, "download_not_requested");
    }

    const { jobId } = await successfulJob(client);
    expectError(await poll(jobId), 404, "download_not_requested");
    expect((await request(jobId)).status).toBe(202);
    expect((await poll(jobId)).status).toBe(200);
    await deliverArchive(jobId);
    expect((await poll(jobId)).status).toBe(200);
  });
});
