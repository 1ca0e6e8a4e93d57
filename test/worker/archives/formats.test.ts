import { annotationLine, categoriesOf, closeAnnotations, openAnnotations } from "@segmentation/protocol";
import { env } from "cloudflare:workers";
import { strFromU8, unzipSync } from "fflate";
import { beforeEach, describe, expect, it } from "vitest";
import { ArchiveDownload } from "../../../src/jobs/contract/archive.ts";
import { outputKey } from "../../../src/shared/bucket/object-keys.ts";
import { buildArchive } from "../../../src/archives/operations/build-archive.ts";
import { at, only, present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { builderOf } from "../../support/worker/fixtures/archive-builders.ts";
import { deliverArchive, ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../support/worker/fakes/inference.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { newJob, newVideoJob } from "../../support/worker/fixtures/jobs.ts";
import { isLong } from "../../support/worker/client/random.ts";

const PROMPTS = ["cat", 'a "red" cup'];
const MASKS = 2;

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

describe("the inference service is sent", () => {
  it("the formats of a task's result, and the upload's name and place in its job [A4-1]", async () => {
    const { jobId, tasks } = await newJob(client, 3, { formats: ["labelmap", "coco", "coco"] });
    for (const [index, taskId] of tasks.entries()) {
      await deliverTask(jobId, taskId);
      expect(inference.last.formats).toEqual({ wanted: ["labelmap", "coco"], taskId, index });
    }
    const clip = await newVideoJob(client, { formats: ["coco"] });
    await deliverTask(clip.jobId, clip.taskId);
    expect(inference.last.formats).toEqual({ wanted: ["coco"], taskId: clip.taskId, index: 0 });
  });

  it.each([{}, { formats: [] }])("has no formats without a request: %j [A4-3]", async (changes) => {
    const { jobId, taskId } = await newJob(client, 1, changes);
    await deliverTask(jobId, taskId);
    expect(inference.last).not.toHaveProperty("formats");
    expect(inference.last).toMatchObject({ limits: { masks: 200 } });
  });

  it.runIf(isLong)(
    "has half as many masks with cut-outs, because a job has no more files for them [A4-13]",
    async () => {
      const { jobId, taskId } = await newJob(client, 100, { prompts: PROMPTS, formats: ["cutout"] });
      await deliverTask(jobId, taskId);
      expect(inference.last).toMatchObject({ limits: { masks: 150 } });
    },
  );
});

it("the inference service may write the formats' files, and nothing else under their names", async () => {
  const { jobId, taskId } = await newJob(client, 1, { formats: ["coco"] });
  await deliverTask(jobId, taskId);
  const ask = (name: string, contentType: string) =>
    callBack(inference.last, "outputs", {
      files: [{ name, contentType, size: 1, md5: "AAAAAAAAAAAAAAAAAAAAAA==" }],
    });
  expect((await ask("annotations.json", "application/json")).status).toBe(200);
  expect((await ask("labels.txt", "text/plain")).status).toBe(200);
  expect((await ask("cutouts/12.png", "image/png")).status).toBe(200);
  expect((await ask("labelmap.png", "image/png")).status).toBe(200);
  expect((await ask("labelmap.png", "application/json")).body.error).toBe("outputs_refused");
});

describe("an archive", () => {
  const annotation = (index: number, maskIndex: number) => ({
    id: index * 10_000 + maskIndex + 1,
    image_id: index + 1,
    category_id: maskIndex + 1,
  });
  const image = (taskId: string, index: number) => ({
    id: index + 1,
    width: 4,
    height: 3,
    file_name: taskId,
  });

  /** A picture's COCO document, as the inference service writes it. */
  const documentOf = (taskId: string, index: number, masks: number): string =>
    [
      openAnnotations({ images: [image(taskId, index)], categories: categoriesOf(PROMPTS) }),
      ...Array.from({ length: masks }, (_, i) => annotationLine(annotation(index, i), i === 0)),
      closeAnnotations(),
    ].join("");

  const documentKey = (jobId: string, taskId: string): string =>
    outputKey(
      { accountId: client.accountId, jobId },
      taskId,
      only(leases.get(taskId) ?? []),
      "annotations.json",
    );
  const leases = new Map<string, number[]>();

  /** Creates a finished job of pictures with COCO documents; the second has no object, the third failed. */
  async function finishedJob(): Promise<{ jobId: string; tasks: string[] }> {
    const job = await newJob(client, 4, { prompts: PROMPTS, formats: ["coco", "yolo"] });
    const written = { coco: "annotations.json", yolo: "labels.txt" };
    await finishJob(inference, client.accountId, job.jobId, job.tasks, (_, index) =>
      index === 2 ? failure(false) : success(index === 1 ? 0 : MASKS, written),
    );
    for (const { key } of inference.tasks) {
      const [, uuid = "", extension = "", lease = ""] = key.split(".");
      leases.set(`${uuid}.${extension}`, [Number(lease)]);
    }
    for (const [index, taskId] of job.tasks.entries()) {
      if (index === 2) continue;
      const text = documentOf(taskId, index, index === 1 ? 0 : MASKS);
      await env.MEDIA.put(documentKey(job.jobId, taskId), text);
    }
    return job;
  }

  const statusOf = async (jobId: string): Promise<string> =>
    ArchiveDownload.parse((await client.send("GET", `/v1/jobs/${jobId}/download`)).body).status;

  async function archiveOf(jobId: string): Promise<{ files: Record<string, Uint8Array>; bytes: Uint8Array }> {
    const { body } = await client.send("GET", `/v1/jobs/${jobId}/download`);
    const { downloadUrl, status } = ArchiveDownload.parse(body);
    expect(status).toBe("ready");
    const { pathname } = new URL(present(downloadUrl, "downloadUrl"));
    const object = present(await env.MEDIA.get(pathname.split("/").slice(2).join("/")), "archive");
    const bytes = new Uint8Array(await object.arrayBuffer());
    return { files: unzipSync(bytes), bytes };
  }
  const jsonOf = (files: Record<string, Uint8Array>, name: string): unknown =>
    JSON.parse(strFromU8(at(files, name)));

  it("of several pictures has one COCO document of them all, the labels' classes, and each picture's own files [A4-4 A4-6 A4-9]", async () => {
    const { jobId, tasks } = await finishedJob();
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    const { files } = await archiveOf(jobId);
    const done = tasks.filter((_, index) => index !== 2);
    expect(Object.keys(files)).toEqual([
      "output_manifest.json",
      "data.yaml",
      "annotations.json",
      ...done.flatMap((taskId, i) => [
        ...(i === 1 ? [] : [0, 1].map((mask) => `masks/${taskId}/${mask}.png`)),
        `annotations/${taskId}.json`,
        `labels/${taskId}.txt`,
      ]),
    ]);
    expect(jsonOf(files, "annotations.json")).toEqual({
      categories: PROMPTS.map((name, i) => ({ id: i + 1, name })),
      annotations: [0, 3].flatMap((index) => [annotation(index, 0), annotation(index, 1)]),
      images: [0, 1, 3].map((index) => image(at(tasks, index), index)),
    });
    expect(strFromU8(at(files, "data.yaml"))).toBe(
      'train: images\nval: images\nnames:\n  0: "cat"\n  1: "a \\"red\\" cup"\n',
    );
  });

  it("has the same bytes over several messages, with any file at a message's end [A4-6]", async () => {
    const { jobId } = await finishedJob();
    const built: Uint8Array[] = [];
    for (const archiveSliceFiles of [100, 1, 2]) {
      await client.send("POST", `/v1/jobs/${jobId}/download`);
      let messages = 0;
      for (; (await statusOf(jobId)) !== "ready"; messages += 1)
        await buildArchive(builderOf({ archiveSliceFiles }), jobId);
      // In addition to the two generated files, there are eleven.
      expect(messages).toBe(Math.ceil(11 / archiveSliceFiles));
      built.push((await archiveOf(jobId)).bytes);
      later(86_401_000);
      await ring(jobId);
    }
    expect(built[1]).toEqual(built[0]);
    expect(built[2]).toEqual(built[0]);
  });

  it("fails by the name of a picture's document that is gone", async () => {
    const { jobId, tasks } = await finishedJob();
    await env.MEDIA.delete(documentKey(jobId, at(tasks, 3)));
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    const { body } = await client.send("GET", `/v1/jobs/${jobId}/download`);
    expect(body).toMatchObject({
      status: "failed",
      error: expect.stringMatching(`^archive_output_missing: The file annotations/${tasks[3]}\\.json `),
    });
  });

  it("of a video has its COCO document under the job's name too, and of a job without formats only the usual files [A4-12]", async () => {
    const clip = await newVideoJob(client, { formats: ["coco"] });
    const completion = videoSuccess(2, { coco: "annotations.json" });
    await finishJob(inference, client.accountId, clip.jobId, [clip.taskId], () => completion);
    const plain = await newJob(client, 1);
    await finishJob(inference, client.accountId, plain.jobId, plain.tasks);
    for (const { jobId } of [clip, plain]) {
      await client.send("POST", `/v1/jobs/${jobId}/download`);
      await deliverArchive(jobId);
    }
    const { files } = await archiveOf(clip.jobId);
    expect(Object.keys(files)).toEqual([
      "output_manifest.json",
      "annotations.json",
      `masks/${clip.taskId}/masks.json`,
      `annotations/${clip.taskId}.json`,
    ]);
    expect(files["annotations.json"]).toEqual(files[`annotations/${clip.taskId}.json`]);
    expect(Object.keys((await archiveOf(plain.jobId)).files)).toEqual([
      "output_manifest.json",
      `masks/${plain.taskId}/0.png`,
    ]);
  });
});
