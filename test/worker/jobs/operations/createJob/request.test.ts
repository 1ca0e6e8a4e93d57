import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ResultFormat } from "../../../../../src/jobs/contract/job.ts";
import { type Client, newClient } from "../../../../support/worker/client/api.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import {
  imageJob,
  ISO_PICTURES,
  MP4,
  PNG,
  presign,
  uploaded,
  uploads,
  videoJob,
} from "../../../../support/worker/fixtures/jobs.ts";
import { traces } from "../../../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../../../support/worker/runtime/settings.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

describe("createJob 400", () => {
  let client: Client;
  let taskId: string;
  beforeEach(async () => {
    client = await newClient();
    taskId = await uploaded(client);
  });
  afterEach(async () => {
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });

  const create = (body: unknown) => client.send("POST", "/v1/jobs", body);

  it.each([
    ["no type", { type: undefined }],
    ["an unknown type", { type: "audio" }],
    ["no prompts", { prompts: undefined }],
    ["no prompts, and a format of masks", { prompts: undefined, formats: ["coco"] }],
    ["an empty list of prompts", { prompts: [] }],
    ["an empty prompt", { prompts: ["cat", ""] }],
    ["a prompt of spaces", { prompts: ["cat", " \u00a0\u3000\n"] }],
    ["a prompt of characters that can't be seen", { prompts: ["\u200b\ufeff\u0007"] }],
    ["a prompt with a NUL", { prompts: ["cup\0"] }],
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
    ["a field of the video variant: numFrames", { numFrames: 2 }],
    ["a field of the video variant: maxFrames", { maxFrames: 2 }],
    ["a maskThreshold below 0", { maskThreshold: -1 }],
    ["an unknown format", { formats: ["coco", "voc"] }],
    ["formats that are no list", { formats: "coco" }],
    ["formats that are null", { formats: null }],
    ["an unknown field", { colour: "red" }],
  ])(
    "refuses %s [4.3-1 4.3-2 4.3-3 4.3-4 4.3-5 4.3-6 4.3-15 7-2 8-2 8-8 4.3-22 A4-2]",
    async (_, changes) => {
      expectError(await create(imageJob([taskId], changes)), 400, "invalid_request");
    },
  );

  it.each([
    ["no prompts", { prompts: undefined }],
    ["an empty list of prompts", { prompts: [] }],
    ["an empty prompt", { prompts: [""] }],
    ["no tasks", { tasks: undefined }],
    ["an empty list of tasks", { tasks: [] }],
    ["a malformed taskId", { tasks: ["cat.mp4"] }],
    ["a scoreThreshold below 0", { scoreThreshold: -0.1 }],
    ["a scoreThreshold above 1", { scoreThreshold: 1.1 }],
    ["an fps of 0", { fps: 0 }],
    ["a negative fps", { fps: -1 }],
    ["an fps that is a string", { fps: "2" }],
    ["a numFrames of 0", { numFrames: 0 }],
    ["a numFrames that is no integer", { numFrames: 1.5 }],
    ["a maxFrames of 0", { maxFrames: 0 }],
    ["a maxFrames that is no integer", { maxFrames: 1.5 }],
    ["fps together with numFrames", { fps: 1, numFrames: 1 }],
    ["a generatePreview that is no boolean", { generatePreview: "yes" }],
    ["a field of the image variant: threshold", { threshold: 0.5 }],
    ["a field of the image variant: maskThreshold", { maskThreshold: 0.5 }],
    ["a format of the image variant: yolo", { formats: ["yolo"] }],
    ["a format of the image variant: cutout", { formats: ["coco", "cutout"] }],
    ["a format of the image variant: labelmap", { formats: ["labelmap"] }],
    ["an unknown field", { colour: "red" }],
  ])(
    "refuses a video job with %s [4.3-7 4.3-8 4.3-9 4.3-12 4.3-13 4.3-14 4.3-15 8-8 4.3-22 A4-2]",
    async (_, changes) => {
      const video = await uploaded(client, MP4, "video/mp4");
      expectError(await create(videoJob(video, changes)), 400, "invalid_request");
    },
  );

  it("refuses a video job of two tasks [4.3-8 8-2]", async () => {
    const tasks = [await presign(client, "video/mp4"), await presign(client, "video/mp4")];
    expectError(await create(videoJob("", { tasks })), 400, "invalid_request");
  });

  it("refuses a picture in a video job, by its content type and by its bytes [4.3-25]", async () => {
    expectError(await create(videoJob(taskId)), 400, "task_type_mismatch");
    for (const contentType of ["application/octet-stream", "video/mp4"]) {
      const picture = await uploaded(client, PNG, contentType);
      expectError(await create(videoJob(picture)), 400, "task_type_mismatch");
    }
  });

  it.each(Object.entries(ISO_PICTURES))(
    "refuses a picture in a video job that is in the container of MP4: %s [4.3-25]",
    async (format, bytes) => {
      for (const contentType of ["application/octet-stream", "video/mp4"]) {
        const picture = await uploaded(client, bytes, contentType);
        const answer = await create(videoJob(picture));
        expectError(answer, 400, "task_type_mismatch");
        expect(answer.body.message, format).toContain(picture);
      }
    },
  );

  it("refuses a video larger than the setting, which is not that of pictures [8-10]", async () => {
    expect(home.platform.settings.MAX_VIDEO_BYTES).toBe(2_000_000_000);
    overrideSettings({ MAX_IMAGE_BYTES: 10, MAX_VIDEO_BYTES: MP4.length - 1 });
    const video = await uploaded(client, MP4, "video/mp4");
    const answer = await create(videoJob(video));
    expectError(answer, 400, "upload_too_large");
    expect(answer.body.message).toContain(String(MP4.length - 1));
  });

  it.each(["", "x".repeat(129)])(
    "refuses an Idempotency-Key that is not of 1 to 128 characters: %j",
    async (key) => {
      const answer = await client.send("POST", "/v1/jobs", imageJob([taskId]), { "idempotency-key": key });
      expectError(answer, 400, "invalid_idempotency_key");
    },
  );

  it("refuses 101 tasks [4.3-3 8-2]", async () => {
    const tasks = Array.from({ length: 101 }, () => `${crypto.randomUUID()}.png`);
    expectError(await create(imageJob(tasks)), 400, "invalid_request");
  });

  it("names the field that is wrong", async () => {
    const { body } = await create(imageJob([taskId], { threshold: 7 }));
    expect(body.message).toContain("threshold");
  });

  it("says which formats there are", async () => {
    const { body } = await create(imageJob([taskId], { formats: ["voc"] }));
    expect(body.message).toBe(`formats[0]: must be one of ${ResultFormat.options.join(", ")}.`);
  });

  it("refuses a taskId that is listed twice [4.3-24]", async () => {
    expectError(await create(imageJob([taskId, taskId])), 400, "duplicate_task");
  });

  it("refuses a video by its content type, whether or not it was uploaded [4.3-25]", async () => {
    const video = await presign(client, "video/mp4");
    expectError(await create(imageJob([taskId, video])), 400, "task_type_mismatch");
  });

  it.each([
    ["application/octet-stream", MP4],
    ["image/png", MP4],
  ])("refuses a video by its bytes, sent as %s [4.3-25 4.3-26]", async (contentType, bytes) => {
    const video = await uploaded(client, bytes, contentType);
    expectError(await create(imageJob([video])), 400, "task_type_mismatch");
  });

  it("refuses more than 32 prompts, and a prompt of more than 200 characters [8-11]", async () => {
    const prompts = Array.from({ length: 33 }, () => "cat");
    expectError(await create(imageJob([taskId], { prompts })), 400, "too_many_prompts");
    for (const character of ["x", "🐈"]) {
      const changes = { prompts: ["cat", character.repeat(201)] };
      expectError(await create(imageJob([taskId], changes)), 400, "prompt_too_long");
    }
  });

  it("refuses a picture of more than 50 MB [8-9]", async () => {
    expect(home.platform.settings.MAX_IMAGE_BYTES).toBe(50_000_000);
    overrideSettings({ MAX_IMAGE_BYTES: PNG.length - 1 });
    expectError(await create(imageJob(await uploads(client, 1))), 400, "upload_too_large");
  });

  it("refuses a body of more than 256 KB", async () => {
    const prompts = ["x".repeat(256 * 1024)];
    expectError(await create(imageJob(await uploads(client, 1), { prompts })), 400, "body_too_large");
  });
});

describe("createJob 403", () => {
  it("refuses a foreign and an unknown taskId alike, byte for byte [4.3-16 5-6 7-5 4.3-31]", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const own = await uploads(client, 2);
    const foreign = await client.send("POST", "/v1/jobs", imageJob([...own, await uploaded(other)]));
    const unknown = await client.send("POST", "/v1/jobs", imageJob([...own, `${crypto.randomUUID()}.png`]));
    expectError(foreign, 403, "task_not_owned");
    expect(foreign.body).toEqual(unknown.body);
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });
});
