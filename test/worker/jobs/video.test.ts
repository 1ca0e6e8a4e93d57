import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Completion, TaskRequest } from "@segmentation/protocol";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  FakeInference,
  success,
  videoSuccess,
} from "../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const HOUR = 3_600_000;
const MD5 = "1B2M2Y8AsgTpgAmY7PhCfg==";

describe("a video's task", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient();
    inference = new FakeInference();
  });

  const job = async (jobId: string) => (await client.send("GET", `/v1/jobs/${jobId}`)).body;
  const taken = async (changes: object = {}) => {
    const video = await newVideoJob(client, changes);
    await deliverTask(video.jobId, video.taskId);
    return video;
  };

  const DEFAULTS = { fps: null, numFrames: null, maxFrames: null };

  it.each([
    [{}, { sampling: DEFAULTS, scoreThreshold: 0, generatePreview: false }],
    [
      { fps: 0.5, maxFrames: 9, scoreThreshold: 0.25, generatePreview: true },
      {
        sampling: { ...DEFAULTS, fps: 0.5, maxFrames: 9 },
        scoreThreshold: 0.25,
        generatePreview: true,
      },
    ],
    [{ numFrames: 30 }, { sampling: { ...DEFAULTS, numFrames: 30 } }],
  ])(
    "sends the inference service the request with %j, and a video's limits [1-3 4.3-9 4.3-12 4.3-13 8-10]",
    async (asked, expected) => {
      await taken({ prompts: ["cat", "dog"], ...asked });
      expect(TaskRequest.parse(inference.last)).toMatchObject({
        type: "video",
        lane: "bulk",
        prompts: ["cat", "dog"],
        limits: { inputBytes: 2_000_000_000, inputPixels: 36_000_000, seconds: 7_200, frames: 3_600 },
        ...expected,
      });
    },
  );

  it("is bounded by the operator's settings", async () => {
    overrideSettings({
      MAX_VIDEO_BYTES: 1_000,
      MAX_VIDEO_FRAME_PIXELS: 2_000,
      MAX_VIDEO_SECONDS: 30,
      MAX_VIDEO_FRAMES: 40,
    });
    await taken();
    const limits = { inputBytes: 1_000, inputPixels: 2_000, seconds: 30, frames: 40 };
    expect(inference.last.limits).toEqual(limits);
  });

  it("can be worked on for days: its input's address and its token live on with the lease [3.1-6]", async () => {
    const { jobId, taskId } = await taken({ generatePreview: true });
    const { searchParams } = new URL(inference.last.inputUrl);
    expect(Number(searchParams.get("X-Amz-Expires"))).toBe(4 * 86_400);
    for (let done = 25; done <= 75; done += 25) {
      later(25 * HOUR);
      expect((await callBack(inference.last, "progress", { done, total: 100 })).status).toBe(200);
      await ring(jobId);
    }
    expect((await job(jobId)).tasks).toEqual([{ taskId, status: "processing", error: null }]);
    expect((await callBack(inference.last, "complete", videoSuccess(100))).status).toBe(204);
    expect((await job(jobId)).status).toBe("success");
  });

  const file = (name: string, contentType: string) => ({ name, contentType, size: 7, md5: MD5 });
  const [MASKS, PREVIEW] = [file("masks.json", "application/json"), file("preview.mp4", "video/mp4")];

  it("is granted masks.json and preview.mp4 with their content types, as a browser shows and plays them [2.5-15]", async () => {
    const { jobId, taskId } = await taken();
    const { status, body } = await callBack(inference.last, "outputs", { files: [MASKS, PREVIEW] });
    expect(status).toBe(200);
    const prefix = `/outputs/${client.accountId}/${jobId}/${taskId}/1/`;
    for (const [i, { name, contentType }] of [MASKS, PREVIEW].entries()) {
      const { url, headers } = body.uploads[i];
      expect(new URL(url).pathname).toContain(prefix + name);
      // Neither has a content disposition: an attachment would not be fake.
      expect(headers).toEqual({ "content-type": contentType, "content-md5": MD5 });
    }
  });

  it.each([
    ["a picture's mask", file("masks/0.png", "image/png")],
    ["a picture's preview", file("preview.png", "image/png")],
    ["masks of another content type", file("masks.json", "video/mp4")],
  ])("is granted nothing else: %s [2.5-16]", async (_, wrong) => {
    await taken();
    const answer = await callBack(inference.last, "outputs", { files: [PREVIEW, wrong] });
    expectError(answer, 400, "outputs_refused");
    expect(answer.body.message).toContain(wrong.name);
  });

  it("leaves a picture's task without any file of a video", async () => {
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    for (const wrong of [MASKS, PREVIEW]) {
      expectError(await callBack(inference.last, "outputs", { files: [wrong] }), 400, "outputs_refused");
    }
  });

  it.each<[string, "image" | "video", Completion]>([
    ["a picture's output for a video", "video", success()],
    ["a video's output for a picture", "image", videoSuccess(3)],
    ["a video's masks by a wrong name", "video", videoSuccess(3, { masks: "masks/0.png" })],
    ["a video's preview by a wrong name", "video", videoSuccess(3, { preview: "preview.png" })],
    ["a picture's preview by a wrong name", "image", success(1, { preview: "preview.mp4" })],
  ])(
    "is not ended by %s: refused by name, not stored, and what is right is taken after it [2.5-16]",
    async (_, type, wrong) => {
      const { jobId, taskId } = type === "video" ? await taken() : await newJob(client);
      if (type === "image") await deliverTask(jobId, taskId);
      const logged = vi.spyOn(console, "log").mockImplementation(() => {});
      const answer = await callBack(inference.last, "complete", wrong);
      expectError(answer, 400, "outputs_refused");
      expect(logged.mock.calls.join()).toContain('"outputs_refused"');
      expect((await job(jobId)).status).toBe("processing");
      const stored = await runInDurableObject(env.JOBS.getByName(jobId), (__, { storage }) => [
        ...storage.kv.list({ prefix: "output:" }),
      ]);
      expect(stored).toEqual([]);

      const right = type === "video" ? videoSuccess(3) : success();
      expect((await callBack(inference.last, "complete", right)).status).toBe(204);
      expect((await callBack(inference.last, "complete", right)).status).toBe(204);
      expect((await job(jobId)).status).toBe("success");
    },
  );

  it("is refused a wrong output also from a lease that is lost: as lost", async () => {
    const { jobId } = await taken();
    later(61_000);
    await ring(jobId);
    expectError(await callBack(inference.last, "complete", success()), 409, "lease_lost");
  });

  it("has its progress in the log; a picture's heartbeats are not worth a line", async () => {
    const { jobId, taskId } = await taken();
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    const lines = () =>
      logged.mock.calls
        .map(([line]) => JSON.parse(String(line)))
        .filter(({ event }) => event === "task_progress");
    await callBack(inference.last, "progress", { done: 12, total: 40 });
    expect(lines()).toMatchObject([{ level: "info", jobId, taskId, lease: 1, done: 12, total: 40 }]);
    const picture = await newJob(client);
    await deliverTask(picture.jobId, picture.taskId);
    await callBack(inference.last, "progress", { done: 0, total: 1 });
    expect(lines()).toHaveLength(1);
  });

  it("takes a holder's report of more than its total: the heartbeat counts, and the progress is not the end", async () => {
    const { jobId } = await taken();
    expect((await callBack(inference.last, "progress", { done: 11, total: 10 })).status).toBe(200);
    const { headers } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(headers.get("x-job-progress")).toBe("0.99");
  });

  it("keeps a report with the extension of its lease: no more is written for it", async () => {
    const { jobId } = await taken();
    const put = await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) =>
      vi.spyOn(storage.kv, "put"),
    );
    await callBack(inference.last, "progress", { done: 1, total: 4 });
    expect(put).toHaveBeenCalledTimes(1);
  });

  it("reports to its job why it failed, by the service's own code", async () => {
    const { jobId, taskId } = await taken();
    await callBack(inference.last, "complete", failure(false, "video_truncated"));
    const truncated = expect.stringMatching(/^video_truncated: /);
    const tasks = [{ taskId, status: "failed", error: truncated }];
    expect(await job(jobId)).toMatchObject({ status: "failed", error: truncated, tasks });
    expectError(await client.send("GET", `/v1/jobs/${jobId}/result`), 409, "job_not_ready");
  });
});
