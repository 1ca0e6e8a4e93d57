import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ImageJobResult, VideoJobResult } from "../../../../src/jobs/contract/result.ts";
import { newClient } from "../../../support/worker/client/api.ts";
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
import { at } from "../../../support/at.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("retrieveJobResult 200", () => {
  it("returns the manifest and the assets of the tasks that succeeded, in the request's order [2.5-1 2.5-2 2.5-3 2.5-4 2.5-5 4.5-1 3.1-4 8-6 2.5-6 2.5-7 2.5-8 2.5-9]", async () => {
    const client = await newClient();
    const { jobId, tasks } = await newJob(client, 3, { prompts: ["cat", "dog"], generatePreview: true });
    const outcomes = [success(2, { preview: "preview.png" }), failure(false), success(0)];
    await finishJob(
      new FakeInference(),
      client.accountId,
      jobId,
      tasks.toReversed(),
      (taskId) => outcomes[tasks.indexOf(taskId)] ?? failure(false),
    );

    const { status, body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    expect(status).toBe(200);
    const { manifest, assets, expiresIn } = ImageJobResult.parse(body);
    const [first, , third] = tasks;
    expect(manifest).toMatchObject({ jobId, type: "image", prompts: ["cat", "dog"] });
    expect(manifest.items.map((item) => item.taskId)).toEqual([first, third]);
    expect(manifest.items[0]).toMatchObject({
      inputId: first,
      units: 1,
      generatedAt: "2026-01-02T03:04:05.678Z",
      masks: [
        { maskIndex: 0, confidence: 0.9 },
        { maskIndex: 1, confidence: 0.89 },
      ],
    });
    expect(manifest.items[1]).not.toHaveProperty("previewUrl");
    expect(assets.map((asset) => asset.key)).toEqual([
      `masks/${first}/0.png`,
      `masks/${first}/1.png`,
      `preview/${first}.png`,
    ]);

    const urls = [...(manifest.items[0]?.masks.map((mask) => mask.url) ?? []), manifest.items[0]?.previewUrl];
    expect(assets.map((asset) => asset.url)).toEqual(urls);
    for (const asset of assets) {
      expect(asset.expiresIn).toBe(expiresIn);
      expect(new URL(asset.url).searchParams.get("X-Amz-Expires")).toBe(String(expiresIn));
    }
    expect(expiresIn).toBe(900);
  });

  it.each([
    [{}, { scoreThreshold: 0 }],
    [
      { fps: 2.5, maxFrames: 120 },
      { fps: 2.5, maxFrames: 120, scoreThreshold: 0 },
    ],
    [
      { numFrames: 8, scoreThreshold: 0.25 },
      { numFrames: 8, scoreThreshold: 0.25 },
    ],
  ])(
    "returns a video's manifest, requested with %j, with its counts and the request's options [2.5-4 2.5-10 2.5-11]",
    async (asked, shown) => {
      const client = await newClient();
      const { jobId, taskId } = await newVideoJob(client, { prompts: ["cat", "dog"], ...asked });
      const completion = videoSuccess(7, { framesWithMasks: 5, totalMasks: 9 });
      await finishJob(new FakeInference(), client.accountId, jobId, [taskId], () => completion);

      const { status, body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
      expect(status).toBe(200);
      const url = at(VideoJobResult.parse(body).assets, 0).url;
      expect(body).toEqual({
        manifest: {
          jobId,
          type: "video",
          prompts: ["cat", "dog"],
          items: [
            {
              taskId,
              inputId: taskId,
              units: 7,
              generatedAt: "2026-01-02T03:04:05.678Z",
              masks: url,
              ...shown,
              counts: { framesProcessed: 7, framesWithMasks: 5, totalMasks: 9 },
            },
          ],
        },
        assets: [{ key: `masks/${taskId}/masks.json`, url, expiresIn: 900 }],
        expiresIn: 900,
      });
      expect(new URL(url).pathname).toContain(`/outputs/${client.accountId}/${jobId}/${taskId}/1/masks.json`);
      expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("900");
    },
  );

  it("returns a picture's files in the formats that the job asked for as assets, and the manifest as usual [A4-4]", async () => {
    const client = await newClient();
    const formats = ["coco", "yolo", "cutout", "labelmap"];
    const { jobId, tasks, taskId } = await newJob(client, 1, { formats });
    const written = { coco: "annotations.json", yolo: "labels.txt", cutout: true, labelmap: "labelmap.png" };
    await finishJob(new FakeInference(), client.accountId, jobId, tasks, () => success(2, written));
    const { body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    const { manifest, assets } = ImageJobResult.parse(body);
    expect(assets.map((asset) => asset.key)).toEqual([
      `masks/${taskId}/0.png`,
      `masks/${taskId}/1.png`,
      `annotations/${taskId}.json`,
      `labels/${taskId}.txt`,
      `cutouts/${taskId}/0.png`,
      `cutouts/${taskId}/1.png`,
      `labelmaps/${taskId}.png`,
    ]);
    expect(Object.keys(at(manifest.items, 0)).toSorted()).toEqual([
      "generatedAt",
      "inputId",
      "masks",
      "taskId",
      "units",
    ]);
    for (const { url } of assets) {
      const { pathname } = new URL(url);
      expect(await env.MEDIA.head(pathname.split("/").slice(2).join("/")), pathname).not.toBeNull();
    }
  });

  it("returns a video's COCO annotations as an asset behind its masks [A4-12]", async () => {
    const client = await newClient();
    const { jobId, taskId } = await newVideoJob(client, { formats: ["coco"] });
    const completion = videoSuccess(3, { coco: "annotations.json" });
    await finishJob(new FakeInference(), client.accountId, jobId, [taskId], () => completion);
    const { assets } = VideoJobResult.parse((await client.send("GET", `/v1/jobs/${jobId}/result`)).body);
    expect(assets.map((asset) => asset.key)).toEqual([
      `masks/${taskId}/masks.json`,
      `annotations/${taskId}.json`,
    ]);
  });

  it("returns a video's preview as previewUrl, and as an asset behind its masks [4.3-9 2.5-11]", async () => {
    const client = await newClient();
    const { jobId, taskId } = await newVideoJob(client, { generatePreview: true });
    const completion = videoSuccess(3, { preview: "preview.mp4" });
    await finishJob(new FakeInference(), client.accountId, jobId, [taskId], () => completion);
    const { manifest, assets } = VideoJobResult.parse(
      (await client.send("GET", `/v1/jobs/${jobId}/result`)).body,
    );
    expect(assets.map((asset) => asset.key)).toEqual([`masks/${taskId}/masks.json`, `preview/${taskId}.mp4`]);
    expect(assets.map((asset) => asset.url)).toEqual([
      manifest.items[0]?.masks,
      manifest.items[0]?.previewUrl,
    ]);
  });
});

describe("retrieveJobResult 200, of a job in progress", () => {
  it("returns the successful tasks so far on request, and all of them at the end", async () => {
    const inference = new FakeInference();
    const client = await newClient();
    const { jobId, tasks } = await newJob(client, 3, { prompts: ["cat"] });
    const seen = async () => {
      const { body } = await client.send("GET", `/v1/jobs/${jobId}/result?include=unfinished`);
      return ImageJobResult.parse(body);
    };
    expect(await seen()).toMatchObject({ manifest: { prompts: ["cat"], items: [] }, assets: [] });
    const [first = "", second = "", third = ""] = tasks;
    await finishJob(inference, client.accountId, jobId, [third]);
    const { manifest, assets } = await seen();
    expect(manifest.items.map(({ taskId }) => taskId)).toEqual([third]);
    expect(assets.map(({ key }) => key)).toEqual([`masks/${third}/0.png`]);
    await finishJob(inference, client.accountId, jobId, [first], () => failure(false));
    expect((await seen()).manifest.items.map(({ taskId }) => taskId)).toEqual([third]);
    await finishJob(inference, client.accountId, jobId, [second]);
    expect((await seen()).manifest.items.map(({ taskId }) => taskId)).toEqual([second, third]);
    const whole = await client.send("GET", `/v1/jobs/${jobId}/result`);
    expect(ImageJobResult.parse(whole.body).manifest).toMatchObject({
      items: [{ taskId: second }, { taskId: third }],
    });
  });
});

describe("retrieveJobResult 409", () => {
  it("has no result for a job that is queued, processing or failed [4.5-2 3.1-7 7-7 2.5-21]", async () => {
    const inference = new FakeInference();
    const client = await newClient();
    const { jobId, taskId } = await newJob(client);
    const result = () => client.send("GET", `/v1/jobs/${jobId}/result`);
    expectError(await result(), 409, "job_not_ready");
    await deliverTask(jobId, taskId);
    expectError(await result(), 409, "job_not_ready");

    const failed = await newJob(client);
    await finishJob(inference, client.accountId, failed.jobId, failed.tasks, () => failure(false));
    for (const query of ["", "?include=unfinished"])
      expectError(await client.send("GET", `/v1/jobs/${failed.jobId}/result${query}`), 409, "job_not_ready");
  });
});

describe("retrieveJobResult 429", () => {
  it("counts as a request of the account for every thousand outputs, which cost as much as many other requests", async () => {
    const client = await newClient();
    const { jobId, taskId } = await newJob(client);
    const inference = new FakeInference();
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", success(1_001));
    const counted = vi.spyOn(home.platform.requestRate, "admits");
    const ask = () => client.send("GET", `/v1/jobs/${jobId}/result`);
    expect((await ask()).status).toBe(200);
    expect(counted.mock.calls).toEqual(Array.from({ length: 2 }, () => [client.accountId]));
    for (const left of [0, 1]) {
      for (let i = 0; i < left; i += 1) counted.mockResolvedValueOnce(true);
      counted.mockResolvedValueOnce(false);
      expectError(await ask(), 429, "rate_limited");
    }
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
    expect(counted).toHaveBeenCalledTimes(2 + 1 + 2 + 1);
  });
});
