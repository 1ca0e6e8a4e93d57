import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Segmentation } from "../../../../src/segment/contract/segment.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { only, present } from "../../../support/at.ts";
import { type Answer, type Client, newClient } from "../../../support/worker/client/api.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { fakeModelAndPictures } from "../../../support/worker/fakes/elsewhere.ts";
import { FakeInference } from "../../../support/worker/fakes/inference.ts";
import { finishNextJob, rectangle, SIZE } from "../../../support/worker/fixtures/bridges.ts";
import { picture, TWO_PARTS, uploads } from "../../../support/worker/fixtures/imports.ts";
import { JPEG, listedJobs, PNG, uploaded } from "../../../support/worker/fixtures/jobs.ts";
import {
  base64Of,
  CAT,
  type Field,
  formOf,
  sendForm,
  sendJson,
  SHORTLY,
} from "../../../support/worker/fixtures/segment.ts";
import { isLong } from "../../../support/worker/client/random.ts";

const RECTANGLE = rectangle(3, 4, 5, 6);

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  fakeModelAndPictures();
});

/** The object of the account's newest job's upload. */
async function newestInput(): Promise<string> {
  const { body: list } = await client.send("GET", "/v1/jobs?limit=1");
  const { body } = await client.send("GET", `/v1/jobs/${list.items[0].jobId}`);
  return inputKey(client.accountId, body.tasks[0].taskId);
}

const finished = async (answer: Promise<Answer>): Promise<Answer> => {
  await finishNextJob(inference, client, [RECTANGLE]);
  return answer;
};

describe("segment 200", () => {
  it("returns the objects of a picture in a form, with their masks' URLs, at the job's end [A26-1]", async () => {
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

  it("has run lengths on request, and the labels of regions [A26-2]", async () => {
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

  it("has no box for an empty mask [A26-2]", async () => {
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

  it("stores the file as it arrives, at any place in the form, with its bytes' type [A26-3]", async () => {
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

  it.runIf(isLong)(
    "stores a file of more than a part in parts, also of a form without a length [A26-3]",
    async () => {
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
    },
  );

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
  it("names the job after the client's wait, and the job continues [A26-4]", async () => {
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
