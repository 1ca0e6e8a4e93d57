import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { problemOf, TaskRequest } from "@segmentation/protocol";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { callBack, deliverTask, failure, FakeInference } from "../../support/worker/fakes/inference.ts";
import { GIF, imageJob, JPEG, newJob, PNG, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { present } from "../../support/at.ts";
import { later } from "../../support/worker/runtime/time.ts";

describe("a task's input", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient("trial");
    inference = new FakeInference();
  });

  const put = (taskId: string, bytes: BufferSource) =>
    env.MEDIA.put(inputKey(client.accountId, taskId), bytes);
  const etagOf = async (taskId: string) =>
    present(await env.MEDIA.head(inputKey(client.accountId, taskId)), "object").httpEtag;

  it("is pinned at the acceptance: each task is offered with its ETag", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    for (const taskId of tasks) {
      await deliverTask(jobId, taskId);
      expect(TaskRequest.parse(inference.last).inputEtag).toBe(await etagOf(taskId));
    }
  });

  it("stays pinned through overwrites and retries: the first ETag goes with each attempt [4.3-29]", async () => {
    const { jobId, taskId } = await newJob(client);
    const accepted = await etagOf(taskId);
    for (const bytes of [GIF, JPEG]) {
      await put(taskId, bytes);
      expect(await etagOf(taskId)).not.toBe(accepted);
      await deliverTask(jobId, taskId);
      expect(inference.last.inputEtag).toBe(accepted);
      await callBack(inference.last, "complete", failure(true, "engine_crashed"));
      later(120_000);
      await ring(jobId);
    }
  });

  it("is the same if the same bytes were uploaded again", async () => {
    const { jobId, taskId } = await newJob(client);
    await put(taskId, PNG);
    await deliverTask(jobId, taskId);
    expect(inference.last.inputEtag).toBe(await etagOf(taskId));
  });

  it("that is empty is pinned too", async () => {
    const taskId = await uploaded(client, new Uint8Array());
    const { status, body } = await client.send("POST", "/v1/jobs", imageJob([taskId]));
    expect({ status, code: body.error }).toEqual({ status: 402, code: "trial_format_unsupported" });

    client = await newClient();
    const own = await uploaded(client, new Uint8Array());
    const job = await client.send("POST", "/v1/jobs", imageJob([own]));
    await deliverTask(job.body.jobId, own);
    expect(inference.last.inputEtag).toBe(await etagOf(own));
  });

  it("that was changed fails its task for good, and nothing is charged [4.3-29]", async () => {
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const problem = problemOf("input_changed");
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(body.tasks).toEqual([{ taskId, status: "failed", error: `input_changed: ${problem.message}` }]);
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 1],
        ["settle", 0],
        ["release", 1],
      ]);
  });

  it("that was changed before the bucket's event has come is checked again for the next job", async () => {
    client = await newClient();
    const sized = { contentType: "image/png", size: PNG.length };
    const { taskId } = (await client.send("POST", "/v1/uploads/presign", sized)).body;
    await put(taskId, PNG);
    await client.send("POST", "/v1/jobs", imageJob([taskId]));
    await put(taskId, PNG.with(PNG.length - 1, 0));
    const stale = await client.send("POST", "/v1/jobs", imageJob([taskId]));
    await deliverTask(stale.body.jobId, taskId);
    expect(inference.last.inputEtag).not.toBe(await etagOf(taskId));
    const problem = problemOf("input_changed");
    expect(problem.message).not.toContain("after the job");
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    const next = await client.send("POST", "/v1/jobs", imageJob([taskId]));
    await deliverTask(next.body.jobId, taskId);
    expect(inference.last.inputEtag).toBe(await etagOf(taskId));
  });
});
