import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { JobStatus } from "../../../../src/jobs/contract/job.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { jobUnderWay, ring, successfulJob } from "../../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  FakeInference,
  success,
} from "../../../support/worker/fakes/inference.ts";
import { cutOffJob, newJob } from "../../../support/worker/fixtures/jobs.ts";
import { entriesOf, ledgerFindings } from "../../../support/worker/fixtures/ledger.ts";
import { PATIENT } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

const cancel = (jobId: string) => client.send("POST", `/v1/jobs/${jobId}/cancel`);
const retrieve = (jobId: string) => client.send("GET", `/v1/jobs/${jobId}`);
const listed = async () =>
  (await client.send("GET", "/v1/jobs")).body.items.map(({ status }: { status: string }) => status);
const expectBooksToAgree = async () => expect(await ledgerFindings()).toEqual([]);

describe("cancelJob 200", () => {
  it("fails each unfinished task, stops its holder, and leaves finished masks [A2-1 A2-2]", async () => {
    const { jobId, held } = await jobUnderWay(client, inference);
    const { status, body } = await cancel(jobId);
    expect(status).toBe(200);
    const job = JobStatus.parse(body);
    expect(job).toEqual((await retrieve(jobId)).body);
    expect(job).toMatchObject({ status: "success", error: null });
    const sentence =
      "canceled: The job was canceled before this task had ended. Create the job again if you still need it.";
    expect(job.tasks.map((task) => [task.status, task.error])).toEqual([
      ["success", null],
      ["failed", sentence],
      ["failed", sentence],
    ]);
    await vi.waitUntil(() => inference.cancelled.length > 0, PATIENT);
    expect(inference.cancelled).toEqual([held.key]);
    const result = await client.send("GET", `/v1/jobs/${jobId}/result`);
    expect(result.body.assets).toHaveLength(1);
    expect((await env.MEDIA.list({ prefix: "outputs/" })).objects).toHaveLength(1);
  });

  it("charges successful tasks, and returns all other units [A2-3]", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    await cancel(jobId);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 3],
      ["settle", 1],
      ["release", 2],
    ]);
    await expectBooksToAgree();
  });

  it("ends a job of which nothing has succeeded as failed, for nothing [A2-4]", async () => {
    const { jobId } = await newJob(client);
    expect((await cancel(jobId)).body).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^canceled: /),
    });
    expectError(await client.send("GET", `/v1/jobs/${jobId}/result`), 409, "job_not_ready");
    expect(await entriesOf(jobId)).toContainEqual(["release", 1]);
  });

  it("never changes an ended job [A2-5]", async () => {
    const { jobId } = await successfulJob(client);
    const before = (await retrieve(jobId)).body;
    for (let i = 0; i < 2; i += 1) expect(await cancel(jobId)).toMatchObject({ status: 200, body: before });
    const cancelled = await newJob(client);
    const first = await cancel(cancelled.jobId);
    expect((await cancel(cancelled.jobId)).body).toEqual(first.body);
    expect(inference.cancelled).toEqual([]);
  });

  it("refuses a holder's later reports, and gives its tasks to no other [A2-6]", async () => {
    const { jobId, tasks, held } = await jobUnderWay(client, inference);
    await cancel(jobId);
    for (const completion of [success(), failure(true), { outcome: "returned" }])
      expectError(await callBack(held, "complete", completion), 409, "lease_lost");
    expectError(await callBack(held, "progress", { done: 0, total: 1 }), 409, "lease_lost");
    const file = { name: "masks/0.png", contentType: "image/png", size: 7, md5: "1B2M2Y8AsgTpgAmY7PhCfg==" };
    expectError(await callBack(held, "outputs", { files: [file] }), 409, "lease_lost");
    const offered = inference.tasks.length;
    for (const taskId of tasks) await deliverTask(jobId, taskId);
    expect(inference.tasks).toHaveLength(offered);
    expect((await retrieve(jobId)).body.status).toBe("success");
  });

  it("lets the account have its next job at once [A2-7]", async () => {
    client = await newClient("trial");
    const { jobId } = await newJob(client, 2);
    await cancel(jobId);
    expect(await listed()).toEqual(["failed"]);
    expect((await newJob(client)).jobId).toEqual(expect.any(String));
  });

  it("ends it even while the list can't be reached, which learns of it later", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    const away = vi.spyOn(Jobs.prototype, "project").mockRejectedValue(new Error("the database is away"));
    expect((await cancel(jobId)).body.status).toBe("success");
    expect(await listed()).not.toEqual(["success"]);
    away.mockRestore();
    await ring(jobId);
    expect(await listed()).toEqual(["success"]);
    await expectBooksToAgree();
  });

  it("ends a listed job whose request was cut off before confirmation [A2-1]", async () => {
    const jobId = await cutOffJob(client);
    expect((await retrieve(jobId)).status).toBe(404);
    expect((await cancel(jobId)).body).toMatchObject({ jobId, status: "failed" });
    expect(await listed()).toEqual(["failed"]);
    await expectBooksToAgree();
  });

  it.each([
    ["the cancellation", "failed", 0],
    ["the completion", "success", 1],
  ])(
    "of a job that completes at the same time follows the first event: %s [A2-3]",
    async (_, status, units) => {
      const { jobId, taskId } = await newJob(client);
      await deliverTask(jobId, taskId);
      const object = env.JOBS.getByName(jobId);
      const both = [
        () => object.cancel(client.accountId),
        () => object.completeTask(taskId, 1, success()),
      ] as const;
      const calls = units === 0 ? both : both.toReversed();
      const answers = await Promise.all(calls.map((call) => call()));
      expect(answers).toContainEqual({ reported: units === 0 ? "lease_lost" : "ended" });
      expect((await cancel(jobId)).body.status).toBe(status);
      await ring(jobId);
      expect(await entriesOf(jobId)).toContainEqual(["settle", units]);
      await expectBooksToAgree();
    },
  );

  it("and a concurrent claim leave no task with a working holder for long", async () => {
    for (const isFirst of [true, false]) {
      const { jobId, taskId } = await newJob(client);
      const both = [() => cancel(jobId), () => deliverTask(jobId, taskId)];
      if (!isFirst) both.reverse();
      await Promise.all(both.map((send) => send()));
      expect((await retrieve(jobId)).body.status).toBe("failed");
      const task = inference.tasks.find(({ key }) => key.startsWith(jobId));
      if (task !== undefined) expectError(await callBack(task, "complete", success()), 409, "lease_lost");
    }
  });
});
