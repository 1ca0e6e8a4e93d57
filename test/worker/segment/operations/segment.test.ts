import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Segmentation } from "../../../../src/segment/contract/segment.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { only, present } from "../../../support/at.ts";
import { type Answer, type Client, newClient } from "../../../support/worker/client/api.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { fakeModelAndPictures } from "../../../support/worker/fakes/elsewhere.ts";
import { failure, FakeInference } from "../../../support/worker/fakes/inference.ts";
import { finishNextJob, rectangle, SIZE } from "../../../support/worker/fixtures/bridges.ts";
import { objects, picture, TWO_PARTS, uploads } from "../../../support/worker/fixtures/imports.ts";
import { GIF, JPEG, listedJobs, MP4, PNG, uploaded } from "../../../support/worker/fixtures/jobs.ts";
import { CAT, type Field, formOf, sendForm, sendJson } from "../../../support/worker/fixtures/segment.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const RECTANGLE = rectangle(3, 4, 5, 6);
/** An answer at once, of a job that never finishes. */
const SHORTLY = { prefer: "wait=1" };

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

/** The object of the account's newest job's upload. */
async function newestInput(): Promise<string> {
  const { body: list } = await client.send("GET", "/v1/jobs?limit=1");
  const { body } = await client.send("GET", `/v1/jobs/${list.items[0].jobId}`);
  return inputKey(client.accountId, body.tasks[0].taskId);
}

/** The beginning of a form, up to the middle of its picture. */
const beginning = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const form = await formOf(CAT);
  return form.subarray(0, form.indexOf(PNG[0] ?? 0) + PNG.length - 1);
};

const finished = async (answer: Promise<Answer>): Promise<Answer> => {
  await finishNextJob(inference, client, [RECTANGLE]);
  return answer;
};

describe("segment 200", () => {
  it("gives the objects of a picture in a form, with their masks' URLs, at the job's end [A26-1]", async () => {
    const answer = await finished(sendForm(client, CAT));
    expect(answer.status).toBe(200);
    const { jobId, objects: found, ...size } = Segmentation.parse(answer.body);
    expect(size).toEqual({ ...SIZE, previewUrl: expect.stringContaining("/preview.png?") });
    const { box, area } = RECTANGLE;
    const { maskUrl, ...object } = only(found);
    expect(object).toEqual({ index: 0, prompt: "cat", confidence: 0.9, box, area });
    const { body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    expect(new URL(maskUrl).pathname).toBe(new URL(body.manifest.items[0].masks[0].url).pathname);
  });

  it("takes an upload, a URL, and base64 as JSON [A26-1]", async () => {
    const taskId = await uploaded(client);
    for (const image of [
      { taskId },
      { url: "https://pictures.test/cat.png" },
      { base64: base64Of(JPEG) },
      { base64: `data:image/jpeg;base64,${base64Of(JPEG)}` },
    ]) {
      const answer = await finished(sendJson(client, { image, prompts: ["cat"] }));
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(only(Segmentation.parse(answer.body).objects)).toMatchObject({ prompt: "cat" });
    }
  });

  it("has run lengths if they are asked for, and the labels of regions [A26-2]", async () => {
    const regions: readonly Field[] = [
      ["region", "saucer: 10,11"],
      ["region", "1,2,30,20"],
      ["region", "5,5; !7.5,8"],
      ["rle", "true"],
    ];
    const answer = sendForm(client, [["image", PNG], ...regions]);
    const masks = [0, 1, 2].map((regionIndex) => ({ ...RECTANGLE, regionIndex }));
    await finishNextJob(inference, client, masks);
    const { objects: found } = Segmentation.parse((await answer).body);
    expect(found.map(({ label }) => label)).toEqual(["saucer", "region", "region"]);
    for (const { rle } of found) expect(rle).toEqual(RECTANGLE.rle);
    expect(inference.last).toMatchObject({
      regions: [
        { points: [{ x: 10, y: 11, label: 1 }], label: "saucer" },
        { box: [1, 2, 30, 20] },
        {
          points: [
            { x: 5, y: 5, label: 1 },
            { x: 7.5, y: 8, label: 0 },
          ],
        },
      ],
    });
  });

  it("says of an empty mask that it has no box [A26-2]", async () => {
    const first = await finished(sendForm(client, CAT, { "idempotency-key": "k" }));
    const prefix = `outputs/${client.accountId}/${first.body.jobId}/`;
    const keys = (await env.MEDIA.list({ prefix })).objects.map(({ key }) => key);
    const key = present(
      keys.find((each) => each.endsWith("/annotations.json")),
      "annotations",
    );
    const document = await (await env.MEDIA.get(key))?.json<object>();
    await env.MEDIA.put(key, JSON.stringify({ ...document, annotations: [] }));
    const again = await sendForm(client, CAT, { "idempotency-key": "k" });
    expect(only(Segmentation.parse(again.body).objects)).toMatchObject({ box: null, area: 0 });
  });

  it("stores the file as it arrives, wherever in the form it is, with its bytes' type [A26-3]", async () => {
    const bytes = new Uint8Array(await new Blob([...picture(200_000)]).arrayBuffer());
    for (const fields of [
      [
        ["image", bytes],
        ["prompt", "cat"],
      ],
      [
        ["prompt", "cat"],
        ["image", bytes],
        ["threshold", "0.25"],
      ],
    ] satisfies Field[][]) {
      expect((await finished(sendForm(client, fields))).status).toBe(200);
      const object = await env.MEDIA.get(await newestInput());
      expect(object?.key).toMatch(/\.png$/);
      expect(object?.httpMetadata).toEqual({ contentType: "image/png" });
      expect(new Uint8Array((await object?.arrayBuffer()) ?? []).length).toBe(bytes.length);
    }
  });

  it("stores a file of more than a part in parts, of a form without a length, too [A26-3]", async () => {
    const form = await formOf([
      ["image", new Uint8Array(await new Blob([...picture(TWO_PARTS)]).arrayBuffer())],
      ["prompt", "cat"],
    ]);
    const parts = vi.spyOn(Media.prototype, "writePart");
    for (const body of [form, new Blob([form]).stream()]) {
      expect((await finished(sendForm(client, body))).status).toBe(200);
      expect((await env.MEDIA.head(await newestInput()))?.size).toBe(TWO_PARTS);
    }
    expect(parts).toHaveBeenCalledTimes(4);
  });

  it("is the same job for a repetition with its Idempotency-Key, which stores nothing [A26-5]", async () => {
    const key = { "idempotency-key": "k" };
    const first = await finished(sendForm(client, CAT, key));
    const write = vi.spyOn(Media.prototype, "write");
    const again = await sendForm(client, CAT, key);
    expect(again).toMatchObject({ status: 200, replayed: "true", body: { jobId: first.body.jobId } });
    expect([write.mock.calls.length, await listedJobs(), await uploads()]).toEqual([0, 1, 1]);
    const other = await sendForm(
      client,
      [
        ["image", JPEG],
        ["prompt", "cat"],
      ],
      key,
    );
    expectError(other, 409, "idempotency_mismatch");
  });

  it("fetches a URL and decodes base64 once for repetitions, too [A26-5]", async () => {
    for (const [i, image] of [{ url: "https://pictures.test/a.png" }, { base64: base64Of(PNG) }].entries()) {
      const send = () => sendJson(client, { image, prompts: ["cat"] }, { "idempotency-key": `${i}` });
      const first = await finished(send());
      const again = await send();
      expect(again).toMatchObject({ status: 200, replayed: "true", body: { jobId: first.body.jobId } });
      expect(await uploads()).toBe(i + 1);
    }
  });
});

describe("segment 202", () => {
  it("names the job after the time that the client waits, which then goes on [A26-4]", async () => {
    const answer = await sendForm(client, CAT, SHORTLY);
    expect(answer).toMatchObject({ status: 202, body: { jobId: expect.stringMatching(/^job_/) } });
    expect(Object.keys(answer.body)).toEqual(["jobId"]);
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(answer.headers.get("preference-applied")).toBe("wait=1");
    expect(await finishNextJob(inference, client, [RECTANGLE])).toBe(answer.body.jobId);
  });

  it("is followed by the result of the same job, for the same Idempotency-Key [A26-5]", async () => {
    const headers = { ...SHORTLY, "idempotency-key": "k" };
    const first = await sendForm(client, CAT, headers);
    expect(first).toMatchObject({ status: 202, replayed: null });
    await finishNextJob(inference, client, [RECTANGLE]);
    const again = await sendForm(client, CAT, headers);
    expect(again).toMatchObject({ status: 200, replayed: "true", body: { jobId: first.body.jobId } });
  });
});

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
    ["a clip", MP4, "task_type_mismatch"],
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

  it("leaves nothing of a URL that gives no file [A26-6]", async () => {
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
