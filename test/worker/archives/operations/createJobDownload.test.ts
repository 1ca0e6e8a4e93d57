import { beforeEach, describe, expect, it, vi } from "vitest";
import { ArchiveDownload } from "../../../../src/jobs/contract/archive.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { deliverArchive, successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { failure, finishJob, FakeInference, videoSuccess } from "../../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../../support/worker/fixtures/jobs.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("createJobDownload 202", () => {
  let client: Client;
  let jobId: string;
  beforeEach(async () => {
    client = await newClient();
    ({ jobId } = await successfulJob(client));
  });

  const request = async () => {
    const { status, body } = await client.send("POST", `/v1/jobs/${jobId}/download`);
    expect(status).toBe(202);
    return ArchiveDownload.parse(body);
  };

  it("is pending until the archive is built, and asks to come again in 2 seconds [2.6-1 2.6-2 4.6-1 3.2-1 2.6-6]", async () => {
    expect(await request()).toEqual({
      jobId,
      status: "pending",
      expiresAt: null,
      downloadUrl: null,
      retryAfterSeconds: 2,
      error: null,
    });
  });

  it("is pending of a video too", async () => {
    const video = await newVideoJob(client);
    await finishJob(new FakeInference(), client.accountId, video.jobId, [video.taskId], () =>
      videoSuccess(2),
    );
    jobId = video.jobId;
    expect(await request()).toMatchObject({ jobId, status: "pending" });
  });

  it("starts one archive for any number of requests [4.6-1 2.6-9]", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendArchive");
    await Promise.all(Array.from({ length: 20 }, request));
    await request();
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it("exists for a blocked account too [4.3-42]", async () => {
    await home.DB.prepare("UPDATE accounts SET plan = 'blocked'").run();
    const { body } = await client.send("GET", "/v1/account/overview");
    expect(body.access).toMatchObject({ mode: "blocked", downloadsAllowed: true });
    expect(await request()).toMatchObject({ status: "pending" });
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
  });

  it("returns the archive that is ready [4.6-1 3.2-1 2.6-9]", async () => {
    await request();
    await deliverArchive(jobId);
    const ready = await request();
    expect(ready).toMatchObject({ status: "ready", retryAfterSeconds: null, error: null });
    expect(ready.downloadUrl).toContain(`/archives/${client.accountId}/${jobId}/`);
  });
});

describe("createJobDownload 409", () => {
  it("refuses a job that is not success, queued or failed; nothing was requested then [4.6-2 3.1-7 7-7 2.6-12]", async () => {
    const client = await newClient();
    const queued = await newJob(client);
    const failed = await newJob(client);
    await finishJob(new FakeInference(), client.accountId, failed.jobId, failed.tasks, () => failure(false));
    for (const { jobId } of [queued, failed]) {
      const path = `/v1/jobs/${jobId}/download`;
      expectError(await client.send("POST", path), 409, "job_not_downloadable");
      expectError(await client.send("GET", path), 404, "download_not_requested");
    }
  });
});
