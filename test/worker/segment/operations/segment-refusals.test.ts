import { beforeEach, describe, expect, it, vi } from "vitest";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { fakeModelAndPictures } from "../../../support/worker/fakes/elsewhere.ts";
import { failure, FakeInference } from "../../../support/worker/fakes/inference.ts";
import { finishNextJob } from "../../../support/worker/fixtures/bridges.ts";
import { objects, picture, uploads } from "../../../support/worker/fixtures/imports.ts";
import { GIF, listedJobs, MP4, PNG, uploaded } from "../../../support/worker/fixtures/jobs.ts";
import {
  base64Of,
  CAT,
  type Field,
  formOf,
  sendForm,
  sendJson,
  SHORTLY,
} from "../../../support/worker/fixtures/segment.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  fakeModelAndPictures();
});

/** Expects neither a job nor an upload nor its bytes. */
const expectNothing = async (): Promise<void> =>
  expect([await listedJobs(), await uploads(), await objects()]).toEqual([0, 0, []]);

/** The beginning of a form, up to the middle of its picture. */
const beginning = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const form = await formOf(CAT);
  return form.subarray(0, form.indexOf(PNG[0] ?? 0) + PNG.length - 1);
};

describe("segment 400", () => {
  const REFUSED: readonly (readonly [string, readonly Field[], RegExp])[] = [
    ["no picture", [["prompt", "cat"]], /^image: is missing/],
    ["two pictures", [...CAT, ["image", PNG]], /^image: appears more than once/],
    [
      "an empty picture",
      [
        ["image", new Uint8Array()],
        ["prompt", "cat"],
      ],
      /^image: is empty/,
    ],
    ["nothing to look for", [["image", PNG]], /^prompts: is missing/],
    ["an unknown field", [...CAT, ["colour", "red"]], /^"colour" is not a field/],
    ["a region that is none", [...CAT, ["region", "here"]], /^region: "here" is none/],
    ["a box without a width", [...CAT, ["region", "1,2,0,4"]], /^regions\[0\]\.box/],
    ["no point on the object", [...CAT, ["region", "!1,2"]], /^regions\[0\]\.points/],
    ["a threshold that is no number", [...CAT, ["threshold", "half"]], /^threshold: must be a number/],
    ["two thresholds", [...CAT, ["threshold", "0.1"], ["threshold", "0.2"]], /^threshold: appears more/],
    ["a threshold above 1", [...CAT, ["threshold", "2"]], /^threshold: must be at most 1/],
    ["a preview or not", [...CAT, ["generatePreview", "yes"]], /^generatePreview: must be true or false/],
    [
      "a prompt that is not UTF-8",
      [
        ["image", PNG],
        ["prompt", new Uint8Array([0xff])],
      ],
      /not UTF-8/,
    ],
  ];

  it.each(REFUSED)("refuses a form with %s, and keeps nothing of it [A26-6]", async (_, fields, message) => {
    const answer = await sendForm(client, fields);
    expectError(answer, 400, "invalid_request");
    expect(answer.body.message).toMatch(message);
    await expectNothing();
  });

  it("refuses a form that breaks off, in its picture and after it, and keeps nothing of it [A26-6]", async () => {
    const form = await formOf(CAT);
    for (const part of [form.subarray(0, 1), await beginning(), form.subarray(0, -5)])
      expectError(await sendForm(client, part), 400, "invalid_request");
    const broken = new ReadableStream({
      start: async (controller) => controller.enqueue(await beginning()),
      pull: (controller) => controller.error(new Error("Network connection lost.")),
    });
    expectError(await sendForm(client, broken), 400, "body_incomplete");
    const short = { "content-length": String(form.length) };
    expectError(await sendForm(client, await beginning(), short), 400, "body_incomplete");
    await expectNothing();
  });

  it.each([
    ["a video", MP4, "task_type_mismatch"],
    ["no picture", Uint8Array.from(new TextEncoder().encode("<!doctype html>")), "import_type_unsupported"],
  ])("refuses %s, however it is sent [A26-6]", async (_, bytes, code) => {
    expectError(
      await sendForm(client, [
        ["image", bytes],
        ["prompt", "cat"],
      ]),
      400,
      code,
    );
    expectError(await sendJson(client, { image: { base64: base64Of(bytes) }, prompts: ["cat"] }), 400, code);
    await expectNothing();
  });

  it("refuses a picture that is larger than any job's, and reads no more of it [A26-6]", async () => {
    overrideSettings({ MAX_IMAGE_BYTES: 100_000 });
    const bytes = new Uint8Array(await new Blob([...picture(100_001)]).arrayBuffer());
    expectError(
      await sendForm(client, [
        ["image", bytes],
        ["prompt", "cat"],
      ]),
      400,
      "upload_too_large",
    );
    expectError(await sendForm(client, new Uint8Array(1_000_000)), 400, "body_too_large");
    let sent = 0;
    const endless = new ReadableStream({
      async pull(controller) {
        controller.enqueue(sent === 0 ? await beginning() : new Uint8Array(65_536));
        sent += 1;
      },
    });
    expectError(await sendForm(client, endless), 400, "upload_too_large");
    expect(sent).toBeLessThan(10);
    await expectNothing();
  });

  it("refuses fields that are too large or too many [A26-6]", async () => {
    const many = Array.from({ length: 1_001 }, (): Field => ["prompt", ""]);
    expectError(await sendForm(client, many), 400, "body_too_large");
    const large: Field = ["prompt", "x".repeat(300_000)];
    expectError(await sendForm(client, [...CAT, large]), 400, "body_too_large");
    await expectNothing();
  });

  it("refuses what createJob refuses, and keeps nothing of the picture [A26-6]", async () => {
    overrideSettings({ MAX_PROMPTS: 1, MAX_PROMPT_LENGTH: 5 });
    expectError(await sendForm(client, [...CAT, ["prompt", "dog"]]), 400, "too_many_prompts");
    expectError(
      await sendForm(client, [
        ["image", PNG],
        ["prompt", "crocodile"],
      ]),
      400,
      "prompt_too_long",
    );
    const image = { url: "https://pictures.test/a.png" };
    expectError(await sendJson(client, { image, prompts: ["crocodile"] }), 400, "prompt_too_long");
    await expectNothing();
  });

  it("refuses JSON with another picture than one of the three [A26-6]", async () => {
    for (const image of [
      {},
      { base64: "" },
      { base64: "?" },
      { base64: 1 },
      { taskId: "a" },
      { url: 1 },
      "a",
      null,
    ]) {
      const answer = await sendJson(client, { image, prompts: ["cat"] });
      expectError(answer, 400, "invalid_request", JSON.stringify(image));
    }
    expectError(
      await sendJson(client, { image: { url: "http://10.0.0.1/a.png" }, prompts: ["cat"] }),
      400,
      "url_forbidden",
    );
    await expectNothing();
  });
});

describe("segment 402", () => {
  it("reads no body of an account that may not create jobs [A26-6]", async () => {
    const blocked = await newClient("blocked");
    let isRead = false;
    const body = new ReadableStream(
      {
        pull() {
          isRead = true;
        },
      },
      { highWaterMark: 0 },
    );
    expectError(await sendForm(blocked, body), 402, "payment_required");
    expect(isRead).toBe(false);
  });

  it("refuses a trial's picture of a format that it does not have, and keeps nothing of it [A26-6]", async () => {
    const trial = await newClient("trial");
    expectError(
      await sendForm(trial, [
        ["image", GIF],
        ["prompt", "cat"],
      ]),
      402,
      "trial_format_unsupported",
    );
    await expectNothing();
  });
});

describe("segment 403", () => {
  it("refuses another account's upload like a missing one [A26-7]", async () => {
    const foreign = await uploaded(await newClient());
    const send = (taskId: string) => sendJson(client, { image: { taskId }, prompts: ["cat"] });
    const refused = await send(foreign);
    expectError(refused, 403, "task_not_owned");
    expect((await send(foreign.replace(/^.{8}/, "00000000"))).body).toEqual(refused.body);
    expect(await listedJobs()).toBe(0);
  });
});

describe("segment 404", () => {
  it("is the answer of a job that is deleted while the client waits", async () => {
    const answer = sendForm(client, CAT);
    await vi.waitFor(async () => expect(await listedJobs()).toBe(1), { timeout: 20_000 });
    const { body } = await client.send("GET", "/v1/jobs");
    expect((await client.send("DELETE", `/v1/jobs/${body.items[0].jobId}`)).status).toBe(204);
    expectError(await answer, 404, "job_not_found");
  });
});

describe("segment 409", () => {
  it("says why the job failed, which is charged nothing [A26-8]", async () => {
    const answer = sendForm(client, CAT);
    await finishNextJob(inference, client, failure(false));
    expectError(await answer, 409, "job_not_ready");
    expect((await answer).body.message).toMatch(/^The job job_\w+ failed: not_an_image: /);
  });

  it("has the account's limits of uploads and of jobs, and keeps nothing above them [A26-6]", async () => {
    overrideSettings({ MAX_ACTIVE_JOBS: 1 });
    expect((await sendForm(client, CAT, SHORTLY)).status).toBe(202);
    expectError(await sendForm(client, CAT), 409, "too_many_active_jobs");
    expect([await uploads(), (await objects()).length]).toEqual([1, 1]);
    overrideSettings({ MAX_UNUSED_UPLOADS: 0 });
    expectError(await sendForm(client, CAT), 409, "too_many_uploads");
    expect(await uploads()).toBe(1);
  });

  it("asks for an upload's file that is missing", async () => {
    const { body } = await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" });
    const answer = await sendJson(client, { image: { taskId: body.taskId }, prompts: ["cat"] });
    expectError(answer, 409, "upload_incomplete");
    expect(await uploads(), "the client's upload stays").toBe(1);
  });
});

describe("segment 502", () => {
  it("leaves nothing behind if the job could not be queued, and frees its Idempotency-Key [A26-6]", async () => {
    const key = { "idempotency-key": "k", ...SHORTLY };
    for (const send of [
      () => sendForm(client, CAT, key),
      () => sendJson(client, { image: { url: "https://pictures.test/a.png" }, prompts: ["cat"] }),
    ]) {
      vi.spyOn(Queues.prototype, "sendTasks").mockRejectedValueOnce(new Error("the queue is down"));
      expectError(await send(), 502, "enqueue_failed");
      await expectNothing();
    }
    expect(await sendForm(client, CAT, key)).toMatchObject({ status: 202, replayed: null });
  });

  it("leaves nothing of a URL without a file [A26-6]", async () => {
    const image = { url: "https://absent.test/a.png" };
    expectError(await sendJson(client, { image, prompts: ["cat"] }), 502, "import_failed");
    await expectNothing();
  });
});

describe("segment 503", () => {
  it("is the answer while too many tasks of trials are open; nothing is left behind [A26-6]", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 1 });
    expect((await sendForm(await newClient("trial"), CAT, SHORTLY)).status).toBe(202);
    const answer = await sendForm(await newClient("trial"), CAT);
    expectError(answer, 503, "trial_queue_full");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect([await listedJobs(), await uploads(), (await objects()).length]).toEqual([1, 1, 1]);
  });
});
