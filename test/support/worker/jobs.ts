import { env } from "cloudflare:workers";
import { inputKey } from "../../../src/core/object-keys.ts";
import type { Client } from "./api.ts";

/** The first bytes of a PNG: all that the Worker looks at. */
export const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
export const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
export const WEBP = new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 ");
export const GIF = new TextEncoder().encode("GIF89a\x01\0\x01\0");
/** The first bytes of an MP4. */
export const MP4 = new TextEncoder().encode("\0\0\0\x18ftypisom\0\0\0\0");

/** Presigns an upload. */
export async function presign(client: Client, contentType = "image/png"): Promise<string> {
  const { body } = await client.send("POST", "/v1/uploads/presign", { contentType });
  return body.taskId;
}

/** An upload whose bytes have come. */
export async function uploaded(
  client: Client,
  bytes: BufferSource = PNG,
  contentType = "image/png",
): Promise<string> {
  const taskId = await presign(client, contentType);
  await env.MEDIA.put(inputKey(client.accountId, taskId), bytes);
  return taskId;
}

/** Several of them. */
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

/** A job of new uploads: its id and its tasks. */
export async function newJob(
  client: Client,
  count = 1,
  changes: object = {},
): Promise<{ jobId: string; tasks: string[] }> {
  const tasks = await uploads(client, count);
  const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks, changes));
  if (status !== 202) throw new Error(`createJob answered ${status} ${JSON.stringify(body)}`);
  return { jobId: body.jobId, tasks };
}

/** How many jobs the list's table has: a refused job leaves none. */
export const listedJobs = async (): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM jobs").first<number>("n")) ?? 0;
