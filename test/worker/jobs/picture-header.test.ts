import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { deliverTask, deliver, FakeInference } from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob } from "../../support/worker/fixtures/jobs.ts";

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

const lastPicture = (): string => present(inference.pictures.at(-1)?.[1]);

it("is the same for each job of an upload, also with other prompts, and differs between uploads", async () => {
  const { jobId, taskId } = await newJob(client);
  await deliverTask(jobId, taskId);
  const picture = lastPicture();
  expect(picture, "nothing of the upload's id").toMatch(/^[0-9a-f]{64}$/);
  for (const changes of [
    {},
    { prompts: ["dog"] },
    { regions: [{ taskId, points: [{ x: 1, y: 1, label: 1 }] }] },
  ]) {
    const { body } = await client.send("POST", "/v1/jobs", imageJob([taskId], changes));
    await deliverTask(body.jobId, taskId);
    expect(lastPicture()).toBe(picture);
  }
  const other = await newJob(client);
  await deliverTask(other.jobId, other.taskId);
  expect(lastPicture()).not.toBe(picture);
});

it("goes with the question for room, the offer and the cancellation", async () => {
  const { jobId, taskId } = await newJob(client);
  const waiting = { lane: "interactive", type: "image", account: client.accountId, acceptedAt: 1 };
  await deliver("segmentation-interactive", { v: 1, jobId, taskId, waiting });
  await env.JOBS.getByName(jobId).cancel(client.accountId);
  await expect.poll(() => inference.cancelled).toHaveLength(1);
  expect(inference.pictures.map(([request]) => request)).toEqual([
    "POST room",
    "POST tasks",
    `DELETE ${inference.last.key}`,
  ]);
  expect(new Set(inference.pictures.map(([, picture]) => picture)).size).toBe(1);
});
