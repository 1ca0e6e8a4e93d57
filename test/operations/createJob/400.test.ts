import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newClient, type Client } from "../../support/worker/api.ts";
import { imageJob, listedJobs, MP4, PNG, presign, uploaded, uploads } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJob 400", () => {
  let client: Client;
  let taskId: string;
  beforeEach(async () => {
    client = await newClient();
    taskId = await uploaded(client);
  });
  afterEach(async () => {
    expect(await listedJobs()).toBe(0);
  });

  const create = (body: unknown) => client.send("POST", "/v1/jobs", body);

  it.each([
    ["no type", { type: undefined }],
    ["an unknown type", { type: "audio" }],
    ["no prompts", { prompts: undefined }],
    ["an empty list of prompts", { prompts: [] }],
    ["an empty prompt", { prompts: ["cat", ""] }],
    ["a prompt that is no string", { prompts: [1] }],
    ["no tasks", { tasks: undefined }],
    ["an empty list of tasks", { tasks: [] }],
    ["a malformed taskId", { tasks: ["cat.png"] }],
    ["an uppercase taskId", { tasks: ["3F0E8F64-5717-4562-B3FC-2C963F66AFA6.png"] }],
    ["a threshold below 0", { threshold: -0.1 }],
    ["a threshold above 1", { threshold: 1.1 }],
    ["a maskThreshold above 1", { maskThreshold: 2 }],
    ["a threshold that is a string", { threshold: "0.5" }],
    ["a generatePreview that is no boolean", { generatePreview: 1 }],
    ["a field of the video variant: fps", { fps: 2 }],
    ["a field of the video variant: scoreThreshold", { scoreThreshold: 0.5 }],
    ["an unknown field", { colour: "red" }],
  ])("refuses %s", async (_, changes) => {
    expectError(await create(imageJob([taskId], changes)), 400, "invalid_request");
  });

  it("refuses 101 tasks", async () => {
    const tasks = Array.from({ length: 101 }, () => `${crypto.randomUUID()}.png`);
    expectError(await create(imageJob(tasks)), 400, "invalid_request");
  });

  it("names the field that is wrong", async () => {
    const { body } = await create(imageJob([taskId], { threshold: 7 }));
    expect(body.message).toContain("threshold");
  });

  it("refuses a taskId that is listed twice", async () => {
    expectError(await create(imageJob([taskId, taskId])), 400, "duplicate_task");
  });

  it("refuses a video by its content type, whether or not it was uploaded", async () => {
    const video = await presign(client, "video/mp4");
    expectError(await create(imageJob([taskId, video])), 400, "task_type_mismatch");
  });

  it.each([
    ["application/octet-stream", MP4],
    ["image/png", MP4],
  ])("refuses a video by its bytes, sent as %s", async (contentType, bytes) => {
    const video = await uploaded(client, bytes, contentType);
    expectError(await create(imageJob([video])), 400, "task_type_mismatch");
  });

  it("refuses more than 32 prompts, and a prompt of more than 200 characters", async () => {
    const prompts = Array.from({ length: 33 }, () => "cat");
    expectError(await create(imageJob([taskId], { prompts })), 400, "too_many_prompts");
    expectError(await create(imageJob([taskId], { prompts: ["x".repeat(201)] })), 400, "prompt_too_long");
  });

  it("refuses a picture of more than 50 MB", async () => {
    const large = new Uint8Array(50_000_001);
    large.set(PNG);
    expectError(await create(imageJob([await uploaded(client, large)])), 400, "upload_too_large");
  });

  it("refuses a body of more than 256 KB", async () => {
    const prompts = ["x".repeat(256 * 1024)];
    expectError(await create(imageJob(await uploads(client, 1), { prompts })), 400, "body_too_large");
  });
});
