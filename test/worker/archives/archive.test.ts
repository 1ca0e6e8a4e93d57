import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import { ArchiveDownload } from "../../../src/jobs/contract/archive.ts";
import type { JobPolicy } from "../../../src/jobs/rules/policy.ts";
import type { ArchiveUpload } from "../../../src/jobs/rules/state.ts";
import { outputsPrefix } from "../../../src/shared/bucket/object-keys.ts";
import { buildArchive } from "../../../src/archives/operations/build-archive.ts";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { at, only, present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import {
  buildUntilCutOff,
  builderOf,
  loseLease,
  WatchedMedia,
} from "../../support/worker/fixtures/archive-builders.ts";
import { deliverArchive, ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { later } from "../../support/worker/runtime/time.ts";

const DAY = 86_400_000;
/** So large that two of them just need two parts, and none of them waits in memory. */
const LARGE = new Uint8Array(4_300_000).map((_, i) => (i * 2_654_435_761) >>> 13);
/** A message's slice ends after two files. */
const TWO_FILES: Partial<JobPolicy> = { archiveSliceFiles: 2 };

let client: Client;
let jobId: string;
let tasks: string[];
beforeEach(async () => {
  client = await newClient();
  // Two tasks with three masks and a preview each, so nine files with the manifest.
  ({ jobId, tasks } = await successfulJob(client, 2, 3));
});

const path = () => `/v1/jobs/${jobId}/download`;
const request = () => client.send("POST", path());
const poll = async () => ArchiveDownload.parse((await client.send("GET", path())).body);
const archives = async () => (await env.MEDIA.list({ prefix: "archives/" })).objects;
const stored = () =>
  runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => ({
    state: new JobStorage(storage).load(),
    keptKeys: [...storage.kv.list({ prefix: "archive" })].map(([key]) => key),
  }));

/** The keys of the job's outputs in the order of its archive. */
async function outputKeys(): Promise<string[]> {
  const lists = tasks.map((taskId) =>
    env.MEDIA.list({ prefix: `${outputsPrefix(client.accountId, jobId)}${taskId}/` }),
  );
  return (await Promise.all(lists)).flatMap(({ objects }) => objects.map(({ key }) => key));
}

/** Makes the job's first outputs so large that its archive needs a multipart upload. */
async function withLargeOutputs(count: number, bytes = LARGE.length): Promise<void> {
  const content = LARGE.subarray(0, bytes);
  for (const key of (await outputKeys()).slice(0, count)) await env.MEDIA.put(key, content);
}

/** Returns the size and digest of the archive's bytes. */
async function digestOf(): Promise<{ size: number; digest: string }> {
  const object = present(await env.MEDIA.get(only(await archives()).key));
  const digest = await crypto.subtle.digest("SHA-256", await object.arrayBuffer());
  return { size: object.size, digest: String(new Uint8Array(digest)) };
}

type Digest = Awaited<ReturnType<typeof digestOf>>;

/** Builds the job's archive with one message, and then forgets it. */
async function builtAtOnce(): Promise<Digest> {
  await request();
  await deliverArchive(jobId);
  const digest = await digestOf();
  later(DAY + 1_000);
  await ring(jobId);
  expect(await archives()).toEqual([]);
  return digest;
}

async function expectArchive(whole: Digest): Promise<void> {
  expect(await poll()).toMatchObject({ status: "ready", error: null });
  expect(await digestOf()).toEqual(whole);
  const { state, keptKeys } = await stored();
  expect(keptKeys).toEqual([]);
  expect(state?.abandonedUploads).toBeUndefined();
}

/** Returns true if a multipart upload is still open: it takes a part. */
async function isOpen({ lease, uploadId }: ArchiveUpload): Promise<boolean> {
  const key = `archives/${client.accountId}/${jobId}/${lease}.zip`;
  const part = env.MEDIA.resumeMultipartUpload(key, uploadId).uploadPart(9, new Uint8Array(9));
  return part.then(
    () => true,
    () => false,
  );
}

/** Builds until the archive has an upload, and returns it. */
async function begunUpload(): Promise<ArchiveUpload> {
  await withLargeOutputs(2);
  await request();
  for (let message = 0; message < 9; message += 1) {
    await buildArchive(builderOf(TWO_FILES), jobId);
    const upload = (await stored()).state?.archive?.upload;
    if (upload !== undefined) return upload;
  }
  throw new Error("no upload was begun");
}

describe("an archive that takes several messages", () => {
  it("has the same bytes as an archive of one message, and says how many it took", async () => {
    const whole = await builtAtOnce();
    await request();
    const logged = vi.spyOn(console, "log");
    const statuses = [];
    for (let message = 0; message < 4; message += 1) {
      await buildArchive(builderOf(TWO_FILES), jobId);
      statuses.push(await poll());
    }
    for (const status of statuses.slice(0, -1)) {
      expect(status).toMatchObject({ status: "processing", retryAfterSeconds: 5, downloadUrl: null });
    }
    await expectArchive(whole);
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.filter(({ event }) => event === "archive_unfinished")).toMatchObject([
      { files: 3, of: 9, messages: 1 },
      { files: 5, of: 9, messages: 2 },
      { files: 7, of: 9, messages: 3 },
    ]);
    expect(only(lines.filter(({ event }) => event === "archive_built"))).toMatchObject({
      jobId,
      files: 9,
      messages: 4,
      size: whole.size,
    });
  });

  it("is sent to the queue again after each of them, and takes no attempt", async () => {
    await request();
    for (let message = 0; message < 3; message += 1) {
      await buildArchive(builderOf(TWO_FILES), jobId);
      await env.JOBS.getByName(jobId).sync();
      expect((await stored()).state?.archive).toMatchObject({ step: { at: "sent" }, attempts: 0 });
    }
  });

  it("is the same when it is written in parts", async () => {
    await withLargeOutputs(2);
    const whole = await builtAtOnce();
    await request();
    for (let message = 0; message < 4; message += 1) await buildArchive(builderOf(TWO_FILES), jobId);
    expect(only(await archives()).etag).toMatch(/-2$/);
    await expectArchive(whole);
  });

  it.runIf(isLong)("is the same with each builder cut off after a few files", async () => {
    await withLargeOutputs(2);
    const whole = await builtAtOnce();
    await request();
    let builders = 0;
    while ((await poll()).status !== "ready" && builders < 20) {
      // It reads six ahead: the cut comes when one more file is begun.
      await buildUntilCutOff(jobId, 7, { archiveKeepMs: 0 });
      await loseLease(jobId);
      builders += 1;
    }
    expect(builders).toBeGreaterThan(2);
    await expectArchive(whole);
  });

  it("is the same when its message comes twice, at once and late", async () => {
    const whole = await builtAtOnce();
    await request();
    for (let message = 0; message < 4; message += 1) {
      await Promise.all([1, 2, 3].map(() => buildArchive(builderOf(TWO_FILES), jobId)));
    }
    await deliverArchive(jobId);
    await expectArchive(whole);
  });
});

describe("a builder that reads outputs", () => {
  it("reads six at a time, and no more", async () => {
    await request();
    const media = new WatchedMedia();
    await buildArchive(builderOf({}, media), jobId);
    expect(media.mostAtATime).toBe(6);
    expect(media.reads).toBe(8);
  });

  it("leaves a large one in the bucket until its turn comes, and then holds one chunk of it", async () => {
    await withLargeOutputs(4, 2_100_000);
    await request();
    const media = new WatchedMedia();
    const small = vi.spyOn(media, "readSmall");
    const streamed = vi.spyOn(media, "read");
    await buildArchive(builderOf({}, media), jobId);
    const results = await Promise.all(small.mock.results.map(({ value }) => value));
    expect(results.filter((result) => result === "larger")).toHaveLength(4);
    expect(streamed).toHaveBeenCalledTimes(4);
    expect(await poll()).toMatchObject({ status: "ready" });
  });
});

describe("a builder that was believed dead and continues", () => {
  /**
   * Starts a builder that is held up before it writes a part. Returns the function that releases it, and promises of the stop and
   * of its end.
   */
  function heldUp(partNumber: number): { go: () => void; reached: Promise<void>; ended: Promise<void> } {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const media = new WatchedMedia();
    media.beforePart = async (part) => {
      if (part !== partNumber) return;
      reached.resolve();
      await go.promise;
    };
    const ended = buildArchive(builderOf({ archiveKeepMs: 0 }, media), jobId);
    return { go: go.resolve, reached: reached.promise, ended };
  }

  it("does not change the archive that another builder finished meanwhile", async () => {
    await withLargeOutputs(2);
    await request();
    const late = heldUp(2);
    await late.reached;
    await loseLease(jobId);
    await deliverArchive(jobId);
    const whole = await digestOf();
    late.go();
    await late.ended;
    await expectArchive(whole);
  });

  it.runIf(isLong)(
    "can overwrite a part of the archive that another is building: that one is begun again, and comes out right",
    async () => {
      await withLargeOutputs(2);
      const whole = await builtAtOnce();
      await request();
      const late = heldUp(1);
      await late.reached;
      const upload = present((await stored()).state?.archive?.upload);
      await loseLease(jobId);
      const next = heldUp(2);
      await next.reached;
      late.go();
      await late.ended;
      next.go();
      await next.ended;
      expect(await poll()).toMatchObject({ status: "processing" });
      for (let attempt = 0; attempt < 3 && (await poll()).status !== "ready"; attempt += 1) {
        later(61_000);
        await deliverArchive(jobId);
      }
      await expectArchive(whole);
      expect((await stored()).state?.archive).toMatchObject({ restarted: true });
      expect(await isOpen(upload)).toBe(false);
    },
  );

  it("leaves nothing in the bucket when the job was purged meanwhile", async () => {
    await withLargeOutputs(2);
    await request();
    const late = heldUp(1);
    await late.reached;
    later(31 * DAY);
    await ring(jobId);
    late.go();
    await late.ended;
    expect(await archives()).toEqual([]);
  });
});

describe("an abandoned half-built archive", () => {
  it("is deleted with its job at the end of the retention: upload, parts and progress", async () => {
    const upload = await begunUpload();
    expect(await isOpen(upload)).toBe(true);
    later(31 * DAY);
    await ring(jobId);
    expect(await isOpen(upload)).toBe(false);
    expect(await archives()).toEqual([]);
    expect((await stored()).keptKeys).toEqual([]);
    later(DAY);
    await ring(jobId);
    expect(await stored()).toEqual({ state: null, keptKeys: [] });
  });

  it.runIf(isLong)("is gone when the archive fails for good, and begun again on request", async () => {
    const upload = await begunUpload();
    const gone = at(await outputKeys(), 7);
    await env.MEDIA.delete(gone);
    await deliverArchive(jobId);
    expect(await poll()).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^archive_output_missing: /),
    });
    expect(await isOpen(upload)).toBe(false);
    expect(await stored()).toMatchObject({ state: { archive: { step: { at: "failed" } } }, keptKeys: [] });
    expect(await archives()).toEqual([]);

    await env.MEDIA.put(gone, "there again");
    await request();
    await deliverArchive(jobId);
    expect(await poll()).toMatchObject({ status: "ready" });
  });

  it("is given up, and begun again, when its upload is no longer in the bucket", async () => {
    const upload = await begunUpload();
    const key = `archives/${client.accountId}/${jobId}/${upload.lease}.zip`;
    await env.MEDIA.resumeMultipartUpload(key, upload.uploadId).abort();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(await poll()).toMatchObject({ status: "processing" });
      later(61_000);
      await deliverArchive(jobId);
    }
    expect(await poll()).toMatchObject({ status: "ready", error: null });
    expect(only(await archives()).key).not.toBe(key);
  });

  it("is given up, and begun again, when the job's archive would now hold something else", async () => {
    const whole = await builtAtOnce();
    await request();
    await buildArchive(builderOf(TWO_FILES), jobId);
    await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => {
      const kept = present(new JobStorage(storage).loadKeptArchive());
      new JobStorage(storage).saveKeptArchive({ ...kept, plan: "of another version of the Worker" });
    });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(await poll()).toMatchObject({ status: "processing" });
      later(61_000);
      await deliverArchive(jobId);
    }
    await expectArchive(whole);
  });

  it("keeps no more in one value than storage takes: the bytes behind the last part lie in pieces", async () => {
    await withLargeOutputs(1);
    await request();
    await buildArchive(builderOf(TWO_FILES), jobId);
    const { keptKeys } = await stored();
    expect(keptKeys).toEqual(["archive", ...[0, 1, 2, 3, 4].map((i) => `archive:${i}`)]);
  });
});
