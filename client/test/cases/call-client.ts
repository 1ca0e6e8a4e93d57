import {
  ImageResult,
  type JobAnnotations,
  SegmentationClient,
  SegmentationError,
  verifyWebhook,
  type VideoResult,
} from "segmentation-client";
import { expect } from "vitest";
import { z } from "zod";
import type { Case } from "./serve-cases.ts";

const Given = z.looseObject({
  input: z.record(z.string(), z.unknown()).default({}),
  options: z.record(z.string(), z.unknown()).default({}),
  inputs: z
    .array(
      z.union([
        z.strictObject({ text: z.string(), name: z.string() }),
        z.strictObject({ url: z.string() }),
        z.strictObject({ taskId: z.string(), name: z.string().optional() }),
      ]),
    )
    .default([]),
  prompts: z.array(z.string()).default([]),
  jobId: z.string().default(""),
  annotations: z.custom<JobAnnotations>().optional(),
  url: z.string().default(""),
  payload: z.string().default(""),
  headers: z.record(z.string(), z.string()).default({}),
  secret: z.string().default(""),
});

const Operations = z.record(z.string(), z.custom<(input: object, options: object) => unknown>());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Result of a call, as JSON that is the same in every language. */
export async function callClient({ client: own, call }: Case, base: string): Promise<unknown> {
  const { timeout = 60, ...others } = own;
  const client = new SegmentationClient({
    baseUrl: base,
    apiKey: "sk_live_case",
    retryDelayMs: 1,
    timeoutMs: Number(timeout) * 1_000,
    ...others,
  });
  const { input, options, inputs, prompts, jobId, url, annotations, ...rest } = Given.parse(
    JSON.parse(JSON.stringify(call.given).replaceAll("{base}", base)),
  );
  const files = inputs.map((each) => {
    if ("text" in each) return new File([each.text], each.name);
    return "url" in each ? each.url : each;
  });
  const method = call.method;
  try {
    if (method === "segment")
      return { result: await pictures(await client.segment(files, prompts, options)) };
    if (method === "embed")
      return { result: new TextDecoder().decode((await client.embed(files[0] ?? "", options)).bytes) };
    if (method === "segmentVideo")
      return { result: await clip(await client.segmentVideo(files[0] ?? "", prompts, options)) };
    if (method === "upload") return { result: await client.upload(files[0] ?? "", options) };
    if (method === "download") return { result: await (await client.download(url)).text() };
    if (method === "archive") return { result: await client.archive(jobId) };
    if (method === "annotations") return { result: await client.job(jobId).annotations() };
    if (method === "saveAnnotations")
      return { result: await client.job(jobId).saveAnnotations(annotations ?? expect.fail(), options) };
    if (method === "annotatedCoco") {
      const result = await client.result(jobId);
      return { result: result instanceof ImageResult && (await result.coco({ annotated: true })) };
    }
    if (method === "verifyWebhook")
      return { result: await verifyWebhook(rest.payload, rest.headers, rest.secret) };
    if (method === "events") {
      const updates = await all(client.watchJob(jobId));
      return { result: updates.map(({ job, progress }) => [job.status, progress]) };
    }
    const answer: unknown = Operations.parse(client.api)[method]?.(input, options);
    const isList = ["listJobs", "listWebhookDeliveries", "streamJobEvents"].includes(method);
    return {
      result: (await (isList ? all(z.custom<AsyncIterable<unknown>>().parse(answer)) : answer)) ?? null,
    };
  } catch (error) {
    if (!(error instanceof SegmentationError)) throw error;
    const {
      code,
      message,
      status = null,
      requestId = null,
      retryAfterSeconds = null,
      jobId: job = null,
    } = error;
    const { remainingTokens, requestedTokens, expiresAt, activeJobId, upgradeUrl, currentVersion } = error;
    const hints = { remainingTokens, requestedTokens, expiresAt, activeJobId, upgradeUrl, currentVersion };
    return { error: { code, message, status, requestId, retryAfterSeconds, jobId: job, ...hints } };
  }
}

async function pictures(result: ImageResult) {
  return {
    jobId: result.jobId,
    pictures: result.pictures.map(({ name, problem, masks }) => ({
      name,
      problem,
      masks: masks.map(({ index, prompt = null, region = null, label = null, confidence, box, area }) => ({
        index,
        prompt,
        region,
        label,
        confidence,
        box,
        area,
      })),
    })),
    coco: await result.coco(),
    files: await filesOf(result.files, /^(?:masks|annotations)\//),
  };
}

/** The texts of a job's files, except for those that the test reads otherwise. */
async function filesOf(files: ImageResult["files"], others: RegExp): Promise<Record<string, string>> {
  const keys = files.keys.filter((key) => !others.test(key));
  const texts = keys.map(async (key) => [key, await files.read(key, (response) => response.text())] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function clip(result: VideoResult) {
  const { name, counts, tracks } = result;
  return {
    name,
    counts,
    files: await filesOf(result.files, /^masks\//),
    tracks: tracks.map(({ objectId, prompt = null, region = null, label = null, sightings }) => ({
      objectId,
      prompt,
      region,
      label,
      sightings: sightings.map(({ frameIdx, timeSec, confidence, box, rle, bitmap }) => ({
        frameIdx,
        timeSec,
        confidence,
        box,
        rle,
        area: bitmap().data.filter(Boolean).length,
      })),
    })),
  };
}
