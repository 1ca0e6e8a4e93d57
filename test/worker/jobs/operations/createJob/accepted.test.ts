import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AcceptedJob } from "../../../../../src/jobs/contract/job.ts";
import { IdempotencyKeys } from "../../../../../src/shared/storage/idempotency-keys.ts";
import { Jobs } from "../../../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../../../src/jobs/object/job-object.ts";
import { type Client, newClient } from "../../../../support/worker/client/api.ts";
import { deliverTask, FakeInference } from "../../../../support/worker/fakes/inference.ts";
import {
  imageJob,
  listedJobs,
  MP4,
  newJob,
  PNG,
  uploaded,
  uploads,
  videoJob,
  VIDEOS,
} from "../../../../support/worker/fixtures/jobs.ts";
import { traces } from "../../../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../../../support/worker/runtime/settings.ts";
import { later, PATIENT } from "../../../../support/worker/runtime/time.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

describe("createJob 202", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it("answers with jobId, type and totalItems, and nothing else [2.4-1 4.3-17]", async () => {
    const tasks = await uploads(client, 3);
    const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expect(status).toBe(202);
    expect(AcceptedJob.parse(body)).toMatchObject({ type: "image", totalItems: 3 });
  });

  it("lists the job as queued [1-5 2.3-2 2.3-3 3.1-2]", async () => {
    const { jobId, tasks } = await newJob(client);
    const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(body).toMatchObject({ jobId, status: "queued", processingMode: "single", error: null });
    expect(body.tasks).toEqual([{ taskId: tasks[0], status: "queued", error: null }]);
    expect(await listedJobs()).toBe(1);
  });

  it("puts a single picture into the interactive queue and a batch into the bulk queue, a window at a time", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const single = await newJob(client);
    expect(sent.mock.calls).toEqual([["interactive", single.jobId, single.tasks, expect.anything()]]);
    const batch = await newJob(client, 10);
    expect(sent.mock.calls.slice(1)).toEqual([
      ["bulk", batch.jobId, batch.tasks.slice(0, 6), expect.anything()],
    ]);
  });

  it("puts a trial account's picture into the trial queue", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const { jobId, tasks } = await newJob(await newClient("trial"));
    expect(sent.mock.calls).toEqual([["trial", jobId, tasks, expect.anything()]]);
  });

  it("takes 100 tasks, every optional field, and an upload of an earlier job [4.3-1 4.3-3 8-2 8-8 4.3-28]", async () => {
    const tasks = await uploads(client, 100);
    const changes = { threshold: 0, maskThreshold: 1, generatePreview: true, prompts: ["cat", "chat"] };
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks, changes));
      expect({ status, body }).toMatchObject({ status: 202, body: { totalItems: 100 } });
    }
  });

  it("sends the inference service the request's thresholds, 0.5 by default, and a picture's limits [4.3-4 4.3-5 4.3-6 8-9]", async () => {
    const inference = new FakeInference();
    for (const [changes, thresholds] of [
      [{}, { threshold: 0.5, maskThreshold: 0.5, generatePreview: false }],
      [{ threshold: 0, maskThreshold: 1, generatePreview: true }, null],
    ] as const) {
      const { jobId, taskId } = await newJob(client, 1, changes);
      await deliverTask(jobId, taskId);
      expect(inference.last).toMatchObject({
        prompts: ["cat"],
        ...(thresholds ?? changes),
        limits: { inputBytes: 50_000_000, inputPixels: 100_000_000 },
      });
    }
  });

  it("looks for a prompt that is repeated once", async () => {
    const inference = new FakeInference();
    const { jobId, taskId } = await newJob(client, 1, { prompts: ["Cup", "spoon", "cup", " cup "] });
    await deliverTask(jobId, taskId);
    expect(inference.last).toMatchObject({ prompts: ["Cup", "spoon"] });
  });

  it("shows a trial account its remaining units after this job, and its end [2.4-2 2-1]", async () => {
    const trial = await newClient("trial");
    const tasks = await uploads(trial, 3);
    const { status, body } = await trial.send("POST", "/v1/jobs", imageJob(tasks));
    expect(status).toBe(202);
    expect(Object.keys(AcceptedJob.parse(body)).toSorted()).toEqual(["jobId", "totalItems", "trial", "type"]);
    const { createdAt } = (await trial.send("GET", `/v1/jobs/${body.jobId}`)).body;
    const expiresAt = new Date(Date.parse(createdAt) + 14 * 86_400_000).toISOString();
    expect(body.trial).toEqual({ remainingTokens: 97, expiresAt });
  });

  it.each([
    {},
    { generatePreview: true },
    { scoreThreshold: 1 },
    { fps: 0.5 },
    { numFrames: 1 },
    { maxFrames: 1 },
    { fps: 30, maxFrames: 10 },
    { numFrames: 10, maxFrames: 5, generatePreview: false, scoreThreshold: 0.25 },
  ])("takes a paid account's video with %j [1-3 2.3-3 2.4-1 4.3-1 4.3-8 4.3-12 4.3-13]", async (changes) => {
    const taskId = await uploaded(client, MP4, "video/mp4");
    const { status, body } = await client.send("POST", "/v1/jobs", videoJob(taskId, changes));
    expect(status).toBe(202);
    expect(body).toEqual({ jobId: expect.any(String), type: "video", totalItems: 1 });
    const job = (await client.send("GET", `/v1/jobs/${body.jobId}`)).body;
    expect(job).toMatchObject({ type: "video", processingMode: "video", status: "queued", totalItems: 1 });
  });

  it.each<[string, BufferSource, (taskId: string) => object]>([
    ["a picture", PNG, (taskId) => imageJob([taskId])],
    ...Object.entries(VIDEOS).map(([format, bytes]): [string, BufferSource, (taskId: string) => object] => [
      `a video (${format})`,
      bytes,
      (taskId) => videoJob(taskId),
    ]),
  ])(
    "takes %s that was sent as application/octet-stream, for its bytes decide [4.3-26]",
    async (_, bytes, job) => {
      const taskId = await uploaded(client, bytes, "application/octet-stream");
      expect(taskId).toMatch(/\.bin$/);
      expect((await client.send("POST", "/v1/jobs", job(taskId))).status).toBe(202);
    },
  );

  describe("with an Idempotency-Key", () => {
    const key = { "idempotency-key": "k" };
    let tasks: string[];
    let create: () => ReturnType<Client["send"]>;
    beforeEach(async () => {
      client = await newClient("trial");
      tasks = await uploads(client, 1);
      create = () => client.send("POST", "/v1/jobs", imageJob(tasks), key);
    });

    it("answers a repeated request with the first answer, before any other check [4.3-44]", async () => {
      const first = await create();
      // Reasons to refuse a new request: the job in progress, and a full queue.
      overrideSettings({ TRIAL_TOKENS: 1 });
      const again = await create();
      expect(first.replayed).toBeNull();
      expect(again).toMatchObject({ status: 202, body: first.body, replayed: "true" });
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
    });

    it("takes another account's same key for another request", async () => {
      const other = await newClient();
      await create();
      const answer = await other.send("POST", "/v1/jobs", imageJob(await uploads(other, 1)), key);
      expect(answer).toMatchObject({ status: 202, replayed: null });
    });

    /** Stops the Worker at this step, without its next ones. */
    const dies = () => Promise.reject(new Error("the Worker was stopped"));

    it("answers for the job of a request that was cut off after its acceptance", async () => {
      vi.spyOn(IdempotencyKeys.prototype, "complete").mockImplementationOnce(dies);
      const first = await create();
      later(61_000);
      const again = await create();
      expect(again).toMatchObject({ status: 202, body: first.body });
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
    });

    it.each([
      ["before its job was listed", "insert"],
      ["after its job was listed", "accept"],
    ])("makes the one job of a request that was cut off %s [4.3-44]", async (_, point) => {
      const objects = async () => (await listDurableObjectIds(env.JOBS)).length;
      const before = await objects();
      const sent = vi.spyOn(Queues.prototype, "sendTasks");
      const refusals = [
        vi.spyOn(JobObject.prototype, "withdraw").mockImplementation(dies),
        vi.spyOn(Jobs.prototype, "withdraw").mockImplementation(dies),
        vi.spyOn(IdempotencyKeys.prototype, "release").mockImplementation(dies),
        point === "insert"
          ? vi.spyOn(Jobs.prototype, "insert").mockImplementation(dies)
          : vi.spyOn(JobObject.prototype, "accept").mockImplementation(dies),
      ];
      expect((await create()).status).toBe(500);
      for (const refusal of refusals) refusal.mockRestore();
      later(61_000);
      const again = await create();
      expect(again.status).toBe(202);
      expect(sent.mock.calls).toEqual([["trial", again.body.jobId, tasks, expect.anything()]]);
      expect(await objects()).toBe(before + 1);
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
      expect((await client.send("GET", `/v1/jobs/${again.body.jobId}`)).body.status).toBe("queued");
    });

    it("does not count as accepted if its run failed and could not revoke its answer", async () => {
      const sent = vi.spyOn(Queues.prototype, "sendTasks");
      vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(dies);
      vi.spyOn(IdempotencyKeys.prototype, "renew").mockImplementationOnce(dies);
      expectError(await create(), 500, "internal_error");
      expect(sent).not.toHaveBeenCalled();
      expect((await create()).status).toBe(202);
      expect(sent).toHaveBeenCalledOnce();
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
    });

    it("survives a slow earlier attempt that fails later", async () => {
      const { promise: woken, resolve: wake } = Promise.withResolvers<undefined>();
      const insert = vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async () => {
        await woken;
        throw new Error("D1 answered too late");
      });
      const slow = create();
      await vi.waitFor(() => expect(insert).toHaveBeenCalledOnce(), PATIENT);
      later(61_000);
      const second = await create();
      expect(second.status).toBe(202);
      wake(undefined);
      expectError(await slow, 409, "idempotency_in_progress");
      expect(await create()).toMatchObject({ status: 202, body: second.body });
      expect((await client.send("GET", `/v1/jobs/${second.body.jobId}`)).body.status).toBe("queued");
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
    });

    it("is not claimed for a job that was withdrawn while its object ran and could not be reached", async () => {
      vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(async function (this: JobObject) {
        await this.accept();
        return dies();
      });
      vi.spyOn(JobObject.prototype, "withdraw").mockImplementationOnce(dies);
      vi.spyOn(IdempotencyKeys.prototype, "forget").mockImplementationOnce(dies);
      expectError(await create(), 502, "enqueue_failed");
      later(61_000);
      expectError(await create(), 502, "enqueue_failed");
      expect((await create()).status).toBe(202);
      expect(await listedJobs()).toBe(1);
    });
  });

  it("asks the bucket once for each of 100 uploads", async () => {
    const tasks = await uploads(client, 100);
    const get = vi.spyOn(env.MEDIA, "get");
    const head = vi.spyOn(env.MEDIA, "head");
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
    expect({ get: get.mock.calls.length, head: head.mock.calls.length }).toEqual({ get: 100, head: 0 });
  });

  it("counts a prompt's characters as code points: 200 of any alphabet pass", async () => {
    const prompts = ["🐈".repeat(101), "🐈".repeat(200)];
    const { status } = await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 1), { prompts }));
    expect(status).toBe(202);
  });

  it("accepts bytes of an unknown kind: the task will report the error", async () => {
    const taskId = await uploaded(client, new TextEncoder().encode("hello"), "application/octet-stream");
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
  });
});
