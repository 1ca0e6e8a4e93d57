import { env } from "cloudflare:workers";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { newId } from "../../../src/shared/ids.ts";
import { defineJob } from "../../../src/jobs/rules/define.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import type { Client } from "./api.ts";
import { at } from "../at.ts";
import { home } from "./databases.ts";

/** The first bytes of a PNG: all that the Worker looks at. */
export const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
export const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
export const WEBP = new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 ");
export const GIF = new TextEncoder().encode("GIF89a\x01\0\x01\0");
/** The first bytes of an MP4. */
export const MP4 = new TextEncoder().encode("\0\0\0\x18ftypisom\0\0\0\0");

/** The first bytes of other files, as Latin-1. */
const latin1 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
export const VIDEOS = {
  mp4: MP4,
  mov: latin1("\0\0\0\x14ftypqt  \0\0\0\0qt  "),
  webm: latin1("\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm"),
  mkv: latin1("\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\x82\x88matroska"),
  avi: latin1("RIFF\0\0\0\0AVI LIST"),
} as const;
/** Pictures in the container of MP4. */
export const ISO_PICTURES = {
  avif: latin1("\0\0\0\x20ftypavif\0\0\0\0avifmif1miaf"),
  heic: latin1("\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
} as const;

/** Presigns an upload. */
export async function presign(client: Client, contentType = "image/png"): Promise<string> {
  const { body } = await client.send("POST", "/v1/uploads/presign", { contentType });
  return body.taskId;
}

/** An upload whose bytes have arrived. */
export async function uploaded(
  client: Client,
  bytes: BufferSource = PNG,
  contentType = "image/png",
): Promise<string> {
  const taskId = await presign(client, contentType);
  await env.MEDIA.put(inputKey(client.accountId, taskId), bytes);
  return taskId;
}

/** Several such uploads. */
export const uploads = (client: Client, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => uploaded(client)));

/** A valid createJob body, with changes. */
export const imageJob = (tasks: readonly string[], changes: object = {}): object => ({
  type: "image",
  prompts: ["cat"],
  tasks,
  ...changes,
});

/** A valid createJob body for a video, with changes. */
export const videoJob = (taskId: string, changes: object = {}): object => ({
  type: "video",
  prompts: ["cat"],
  tasks: [taskId],
  ...changes,
});

/** A job of new uploads: its id, its tasks, and the first of them. */
export async function newJob(
  client: Client,
  count = 1,
  changes: object = {},
): Promise<{ jobId: string; tasks: string[]; taskId: string }> {
  const tasks = await uploads(client, count);
  const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks, changes));
  if (status !== 202) throw new Error(`createJob answered ${status} ${JSON.stringify(body)}`);
  return { jobId: body.jobId, tasks, taskId: at(tasks, 0) };
}

/** A job of a new clip: its id and its task. */
export async function newVideoJob(
  client: Client,
  changes: object = {},
): Promise<{ jobId: string; taskId: string }> {
  const taskId = await uploaded(client, MP4, "video/mp4");
  const { status, body } = await client.send("POST", "/v1/jobs", videoJob(taskId, changes));
  if (status !== 202) throw new Error(`createJob answered ${status} ${JSON.stringify(body)}`);
  return { jobId: body.jobId, taskId };
}

/**
 * A job whose request was cut off: its object has written it down, and it is listed or not yet. Nobody has accepted it.
 * Returns its id.
 */
export async function cutOffJob(client: Client, { listed } = { listed: true }): Promise<string> {
  const request = CreateJobRequest.parse(imageJob([await uploaded(client)]));
  const { accountId } = client;
  const asker = { accountId, accessMode: "paid", database: home.name } as const;
  const definition = defineJob(asker, request, newId("job"), Date.now());
  await env.JOBS.getByName(definition.jobId).prepare(definition);
  const terms = {
    maxActiveJobs: 1_000,
    maxTrialBacklog: 1_000,
    maxUnitsPerDay: null,
    maxTasksPerDay: 1_000,
    maxMeteredUnits: null,
    files: 1,
    maxFilesPerDay: 1_000_000_000,
    units: 1,
    fund: "paid",
    offer: { version: "v1", tokens: 100, days: 14 },
  } as const;
  if (listed) await new Jobs(home.DB).insert(definition, terms);
  return definition.jobId;
}

/** How many jobs the list has. A refused job leaves none. */
export const listedJobs = async (): Promise<number> =>
  (await home.DB.prepare("SELECT count(*) AS n FROM jobs").first<number>("n")) ?? 0;
