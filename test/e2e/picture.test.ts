import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CocoPictures,
  expectCoco,
  expectCutout,
  expectLabelmap,
  expectYolo,
  readMask,
} from "../../inference-container/test/support/masks/formats.ts";
import { ApiError, createClient, type ApiClient } from "../../scripts/shared/api-client.ts";
import { ArchivedImageManifest } from "../../src/jobs/contract/result.ts";
import { Upload } from "../../src/uploads/contract/upload.ts";
import { openLocalDatabase } from "../../scripts/shared/database/database.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { at, only, present } from "../support/at.ts";
import { maskPixels, sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";
import { readStrictly } from "../support/zip/strict-zip.ts";
import { isLong } from "../../inference-container/test/support/form.ts";

describe("the whole stack, by its public API", () => {
  let stack: SharedStack;
  let client: ApiClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = createClient(stack);
  });

  const presign = async (contentType: string, size?: number) => {
    const response = await fetch(`${stack.baseUrl}/v1/uploads/presign`, {
      method: "POST",
      headers: { authorization: `Bearer ${stack.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ contentType, size }),
    });
    return Upload.parse(await response.json());
  };
  const run = async (tasks: string[], prompts: string[]) => {
    const { jobId } = await client.createImageJob({ tasks, prompts, generatePreview: true });
    return client.waitForJob(jobId);
  };

  it("refuses a PUT with another or no Content-Type, or with another key than signed [2.1-3 4.1-3 2.1-5]", async () => {
    const { uploadUrl } = await presign("image/png");
    const body = sample("chelsea");
    const put = (url: string, headers: Record<string, string>) =>
      fetch(url, { method: "PUT", headers, body });
    expect((await put(uploadUrl, { "content-type": "image/jpeg" })).status).toBe(403);
    expect((await put(uploadUrl, {})).status).toBe(403);
    const elsewhere = uploadUrl.replace("/inputs/", "/outputs/");
    expect((await put(elsewhere, { "content-type": "image/png" })).status).toBe(403);
    expect((await put(uploadUrl, { "content-type": "image/png" })).status).toBe(200);
  });

  it("refuses a PUT of another length than was signed, and takes that one [4.1-10]", async () => {
    const body = new Uint8Array(sample("chelsea"));
    const { uploadUrl } = await presign("image/png", body.length);
    const put = (bytes: Uint8Array<ArrayBuffer> | Blob | string) =>
      fetch(uploadUrl, { method: "PUT", headers: { "content-type": "image/png" }, body: bytes });
    expect((await put(body.subarray(1))).status).toBe(403);
    expect((await put(new Blob([body, body]))).status).toBe(403);
    expect((await put("")).status).toBe(403);
    expect((await put(body)).status).toBe(200);
  });

  it("learns an upload's size from the storage's event, without reading it [4.1-11]", async () => {
    const body = new Uint8Array(sample("chelsea"));
    const { uploadUrl, taskId } = await presign("image/png");
    const headers = { "content-type": "image/png" };
    expect((await fetch(uploadUrl, { method: "PUT", headers, body })).status).toBe(200);
    const database = await openLocalDatabase(stateFolder(stack.stateDir));
    const row = async () => {
      const [rows] = await database.run([`SELECT size, inspect_at FROM uploads WHERE task_id = '${taskId}'`]);
      return only(present(rows, "result"));
    };
    await expect.poll(row, { timeout: 60_000 }).toEqual({ size: body.length, inspect_at: null });
  });

  it("finds the cat: a mask of the picture's size, a preview, a manifest with signed URLs, an archive of it all [1-2 2.6-2 3.1-4 2.5-9 2.5-18 2.6-4 2.6-5 A4-1 A4-4 A4-5 A4-8 A4-10]", async () => {
    const taskId = await client.upload(sample("chelsea"), "image/png");
    const { jobId } = await client.createImageJob({
      tasks: [taskId],
      prompts: ["cat"],
      generatePreview: true,
      formats: ["coco", "yolo", "cutout", "labelmap"],
    });
    const job = await client.waitForJob(jobId);
    expect(job).toMatchObject({ status: "success", tasks: [{ status: "success", error: null }] });

    const { manifest, assets } = await client.retrieveJobResult(job.jobId);
    expect(assets.map((asset) => asset.key)).toEqual([
      `masks/${taskId}/0.png`,
      `preview/${taskId}.png`,
      `annotations/${taskId}.json`,
      `labels/${taskId}.txt`,
      `cutouts/${taskId}/0.png`,
      `labelmaps/${taskId}.png`,
    ]);
    const item = only(manifest.items);
    expect(item).toMatchObject({ taskId, inputId: taskId, units: 1, masks: [{ maskIndex: 0 }] });
    expect(only(item.masks).confidence).toBeGreaterThan(0.5);

    const files = await Promise.all(assets.map((asset) => client.download(asset.url)));
    const mask = await maskPixels(at(files, 0));
    expect([mask.width, mask.height]).toEqual([451, 300]);
    expect(new Set(mask.values)).toEqual(new Set([0, 255]));
    expect(mask.set / (451 * 300)).toBeGreaterThan(0.35);

    const archive = await client.waitForArchive(job.jobId);
    expect(archive).toMatchObject({ status: "ready", error: null });
    const response = await fetch(present(archive.downloadUrl, "downloadUrl"));
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="job_/);
    const archived = readStrictly(new Uint8Array(await response.arrayBuffer()));
    expect([...archived.keys()]).toEqual([
      "output_manifest.json",
      "data.yaml",
      "annotations.json",
      ...assets.map((asset) => asset.key),
    ]);
    for (const [i, { key }] of assets.entries())
      expect(archived.get(key)?.equals(at(files, i)), key).toBe(true);
    const text = present(archived.get("output_manifest.json"), "manifest").toString();
    const { items } = ArchivedImageManifest.parse(JSON.parse(text));
    expect(only(only(items).masks).url).toBe(`masks/${taskId}/0.png`);

    const [png, , annotations, labels, cutout, labelmap] = files;
    const { maskIndex, confidence } = only(item.masks);
    const known = { maskIndex, promptIndex: 0, confidence, mask: await readMask(present(png)) };
    for (const document of [annotations, archived.get("annotations.json")]) {
      const coco = Buffer.from(present(document)).toString();
      expectCoco(CocoPictures.parse(JSON.parse(coco)), taskId, [known]);
    }
    expectYolo(Buffer.from(present(labels)).toString(), [known]);
    await expectCutout(present(cutout), known, sample("chelsea"));
    await expectLabelmap(present(labelmap), [known]);
    expect(present(archived.get("data.yaml")).toString()).toContain('0: "cat"');
  });

  it("draws a region without prompts, with the region's index, and refines its mask for free [A5-3 A5-4 A5-20 A5-22]", async () => {
    const taskId = await client.upload(sample("coffee"), "image/png");
    const regions = [{ taskId, points: [{ x: 130, y: 230, label: 1 as const }] }];
    const { jobId } = await client.createImageJob({ tasks: [taskId], regions, generatePreview: true });
    expect(await client.waitForJob(jobId)).toMatchObject({ status: "success", tasks: [{ error: null }] });
    const { manifest } = await client.retrieveJobResult(jobId);
    const { url } = only(only(manifest.items).masks);
    const png = await client.download(url);
    expect((await sharp(png).metadata()).comments).toEqual([{ keyword: "region", text: "0" }]);
    const { values, width } = await maskPixels(png);
    // On the saucer, left and right of the cup; on the cup; on the table.
    const pixel = (x: number, y: number) => values[y * width + x];
    expect([pixel(130, 230), pixel(430, 200), pixel(290, 100), pixel(550, 60)]).toEqual([255, 255, 0, 0]);

    // It was meant with the cup on it.
    const more = { taskId, points: [{ x: 290, y: 100, label: 1 as const }], label: "cup and saucer" };
    const refining = {
      tasks: [taskId],
      regions: [{ ...more, refines: { jobId, maskIndex: 0 } }],
      continues: jobId,
    };
    const { jobId: next } = await client.createImageJob(refining);
    expect(await client.waitForJob(next)).toMatchObject({ status: "success", continues: jobId });
    const { items } = (await client.retrieveJobResult(next)).manifest;
    expect(only(items).units).toBe(0);
    const refined = await client.download(only(only(items).masks).url);
    expect((await sharp(refined).metadata()).comments).toContainEqual({
      keyword: "label",
      text: "cup and saucer",
    });
    const { values: after } = await maskPixels(refined);
    expect([after[230 * width + 130], after[100 * width + 290], after[60 * width + 550]]).toEqual([
      255, 255, 0,
    ]);
  });

  it("ends a batch of 10 of which 2 are broken as success: 8 items in the request's order, 2 task errors [2.5-8]", async () => {
    const whole = [sample("chelsea"), sample("coffee"), sample("astronaut")];
    const files = Array.from({ length: 10 }, (_, i) => at(whole, i % 3));
    files[2] = sample("astronaut").slice(0, 20_000);
    files[7] = new TextEncoder().encode("This is not a picture.");
    const tasks = await Promise.all(files.map((bytes) => client.upload(bytes, "image/png")));

    const job = await run(tasks, ["cat", "cup", "person"]);
    expect([job.status, job.processingMode, job.totalItems]).toEqual(["success", "batch", 10]);
    expect(job.tasks.map((task) => task.taskId)).toEqual(tasks);
    const failed = job.tasks.filter((task) => task.status === "failed");
    expect(failed.map((task) => task.taskId)).toEqual([tasks[2], tasks[7]]);
    expect(failed.map((task) => task.error?.split(":")[0])).toEqual(["image_truncated", "not_an_image"]);

    const { manifest } = await client.retrieveJobResult(job.jobId);
    expect(manifest.items.map((item) => item.taskId)).toEqual(tasks.filter((_, i) => i !== 2 && i !== 7));
    for (const item of manifest.items) expect(item.masks.length).toBeGreaterThan(0);
  });

  it.runIf(isLong)(
    "does not process a file that replaced an input after the job's acceptance [4.3-29]",
    async () => {
      const { uploadUrl, taskId } = await presign("image/png");
      const put = async (body: Uint8Array<ArrayBuffer>) => {
        const response = await fetch(uploadUrl, {
          method: "PUT",
          headers: { "content-type": "image/png" },
          body,
        });
        expect(response.status).toBe(200);
      };
      await put(sample("coffee"));
      // More than twice the window: the last task is offered only after others have been processed.
      const others = await Promise.all(
        Array.from({ length: 13 }, () => client.upload(sample("astronaut"), "image/png")),
      );
      const { jobId } = await client.createImageJob({ tasks: [...others, taskId], prompts: ["cat"] });
      await put(sample("chelsea"));
      expect((await client.retrieveJob(jobId)).tasks.at(-1)?.status, "it was replaced in time").toBe(
        "queued",
      );

      const job = await client.waitForJob(jobId);
      expect(job.status).toBe("success");
      expect(job.tasks.at(-1)).toMatchObject({
        status: "failed",
        error: expect.stringMatching(/^input_changed: /),
      });
    },
  );

  it("names a prompt outside the vocabulary, and fails only if no prompt could be served", async () => {
    const taskId = await client.upload(sample("chelsea"), "image/png");
    const served = await run([taskId], ["sky", "cat"]);
    expect(served.status).toBe("success");
    expect(only(served.tasks).error).toMatch(/^prompt_outside_vocabulary: .*sky/);
    expect(only((await client.retrieveJobResult(served.jobId)).manifest.items).masks).toHaveLength(1);

    const partly = await run([taskId], ["cup, cat"]);
    expect(only(partly.tasks).error).toMatch(/^prompt_partly_served: .*only for "cat", not for "cup"/);

    const unserved = await run([taskId], ["sky"]);
    expect(unserved).toMatchObject({ status: "failed", tasks: [{ status: "failed" }] });
    expect(unserved.error).toMatch(/^prompt_outside_vocabulary: /);
    await expect(client.retrieveJobResult(unserved.jobId)).rejects.toThrow(ApiError);
  });
});
