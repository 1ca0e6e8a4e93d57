import { beforeEach, describe, expect, it, vi } from "vitest";
import { MOST_ANNOTATION_BYTES } from "../../../../../src/jobs/contract/annotations.ts";
import { type Client, newClient, send } from "../../../../support/worker/client/api.ts";
import { annotations, saveAnnotations } from "../../../../support/worker/fixtures/annotations.ts";
import { successfulJob } from "../../../../support/worker/fixtures/archives.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

let client: Client;
let jobId: string;
let taskId: string;
beforeEach(async () => {
  client = await newClient();
  const job = await successfulJob(client);
  ({ jobId } = job);
  taskId = job.tasks[0] ?? "";
});

const save = (document: unknown, base = 0) => saveAnnotations(client, jobId, base, document);
const version = async (): Promise<number> =>
  (await client.send("GET", `/v1/jobs/${jobId}/annotations`)).body.version;

const CAT = { id: 1, name: "cat" };
const task = (changes: object) => ({ tasks: [{ taskId: "", objects: [], ...changes }] });
const object = (changes: object, of: object = {}) => task({ ...of, objects: [{ id: "a/0", ...changes }] });
/** 2 × 3 pixels, of which the second is set. */
const MASK = { size: [2, 3], counts: "114" };

/** A document whose request has this many bytes. */
function recipes(bytes: number) {
  const objects = Array.from({ length: 17 }, (_, i) => ({ id: `a/${i}`, recipe: "" }));
  const empty = JSON.stringify({ document: annotations([{ taskId, objects }]) }).length;
  let left = bytes - empty;
  for (const each of objects) {
    each.recipe = "x".repeat(Math.min(left, 65_536));
    left -= each.recipe.length;
  }
  return annotations([{ taskId, objects }]);
}

describe("replaceJobAnnotations 400", () => {
  it.each([
    ["format: must be 1", { format: 2 }],
    ["classes[1].id: is the id of another", { classes: [CAT, { id: 1, name: "dog" }] }],
    ["classes[1].name: is the name of another", { classes: [CAT, { id: 2, name: "CAT" }], nextClassId: 3 }],
    [
      "classes[1].key: is the key of another",
      {
        classes: [
          { ...CAT, key: 1 },
          { id: 2, name: "dog", key: 1 },
        ],
        nextClassId: 3,
      },
    ],
    ["classes[0].id: must be less than nextClassId", { nextClassId: 1 }],
    ["classes[0].id: must be at least 1", { classes: [{ id: 0, name: "cat" }] }],
    ["classes[0].color: ", { classes: [{ ...CAT, color: "red" }] }],
    ["classes[0].key: must be at most 9", { classes: [{ ...CAT, key: 10 }] }],
    ["searches[1]: is listed twice", { searches: ["job_1", "job_1"] }],
    ["searches: must have at most 200", { searches: Array.from({ length: 201 }, (_, i) => `job_${i}`) }],
    ["tasks[0].verdict: must be one of", task({ verdict: "good" })],
    ["tasks[0].note: must have at most 2000", task({ note: "x".repeat(2_001) })],
    ["tasks[0].height: is missing", task({ width: 3 })],
    ["tasks[0].unknown is not a field", task({ unknown: 1 })],
    ["tasks[0].thresholds[0].least: must be at most 1", task({ thresholds: [{ least: 2 }] })],
    ["tasks[0].objects[1].id: is listed twice", task({ objects: [{ id: "a" }, { id: "a" }] })],
    ["tasks[0].objects[0].classId: is not the id of a class", object({ classId: 2 })],
    ["tasks[0].objects[0].mask: is damaged", object({ mask: { ...MASK, counts: "115" } })],
    ["tasks[0].objects[0].mask: is damaged", object({ mask: { ...MASK, counts: "1P" } })],
    ["tasks[0].objects[0].mask.counts: ", object({ mask: { ...MASK, counts: "1~" } })],
    ["tasks[0].objects[0].mask: is not of the task's", object({ mask: MASK }, { width: 2, height: 3 })],
    [
      "tasks[0].objects[0].mask: must have at most",
      object({ mask: { size: [65_535, 65_535], counts: "0" } }),
    ],
    ["tasks[0].objects[0].recipe: must have at most", object({ recipe: "x".repeat(65_537) })],
    [
      "tasks[1].taskId: is listed twice",
      {
        tasks: [
          { taskId: "", objects: [] },
          { taskId: "", objects: [] },
        ],
      },
    ],
  ])("refuses with %j what contradicts itself or can't be read [A25-4]", async (message, changes) => {
    const document = { format: 1, classes: [CAT], nextClassId: 2, searches: [], tasks: [], ...changes };
    const answer = await save(
      JSON.parse(JSON.stringify(document).replaceAll('"taskId":""', `"taskId":"${taskId}"`)),
    );
    expectError(answer, 400, "invalid_request");
    expect(answer.body.message).toContain(`document.${message}`);
    expect(await version()).toBe(0);
  });

  it("takes a mask of the picture's size [A25-4]", async () => {
    const ok = annotations([{ taskId, width: 3, height: 2, objects: [{ id: "a/0", mask: MASK }] }]);
    expect((await save(ok)).status).toBe(200);
  });

  it("accepts a document of a mebibyte, and no larger one [A25-5]", async () => {
    expectError(await save(recipes(MOST_ANNOTATION_BYTES + 1)), 400, "body_too_large");
    expect(await version()).toBe(0);
    expect((await save(recipes(MOST_ANNOTATION_BYTES))).status).toBe(200);
    expect(await version()).toBe(1);
  });

  it("bounds the stored size, too: a number may be longer there than in the request [A25-5]", async () => {
    const thresholds = Array.from({ length: 100 }, () => ({ least: 0.000_001 }));
    const document = { ...recipes(MOST_ANNOTATION_BYTES - 1_700), thresholds };
    const stored = JSON.stringify(document);
    const body = JSON.stringify({ document }).replaceAll("0.000001", "1e-6");
    expect(body.length).toBeLessThan(MOST_ANNOTATION_BYTES);
    expect(stored.length).toBeGreaterThan(MOST_ANNOTATION_BYTES);
    const { key } = client;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "if-match": '"0"' };
    const answer = await send("PUT", `/v1/jobs/${jobId}/annotations`, { headers, body });
    expectError(answer, 400, "body_too_large");
    expect(answer.body.message).toContain(String(stored.length));
  });
});

describe("replaceJobAnnotations 409", () => {
  it("refuses a task that the job does not have [A25-4]", async () => {
    const other = await successfulJob(client);
    const answer = await save(annotations([{ taskId: other.tasks[0], objects: [] }]));
    expectError(answer, 409, "annotations_refused");
    expect(answer.body.message).toContain(other.tasks[0]);
    expect(await version()).toBe(0);
  });

  it("never lets the id of a former class be given again [A25-4]", async () => {
    await save(annotations([], { nextClassId: 7 }));
    const answer = await save(annotations([], { nextClassId: 6 }), 1);
    expectError(answer, 409, "annotations_refused");
    expect(answer.body.message).toContain("at least 7");
    expect(await version()).toBe(1);
  });
});

describe("replaceJobAnnotations 412", () => {
  it("refuses a document that is based on another version, and says which is there [A25-3]", async () => {
    await save(annotations());
    for (const base of [0, 2, 999]) {
      const answer = await save(annotations([], { searches: ["job_1"] }), base);
      expectError(answer, 412, "version_conflict");
      expect(answer.headers.get("etag")).toBe('"1"');
      expect(answer.body.message).toContain("version 1");
    }
    expect(await version()).toBe(1);
  });

  it("takes one of two that are sent at the same time [A25-3]", async () => {
    const answers = await Promise.all(
      ["job_1", "job_2", "job_3"].map((search) => save(annotations([], { searches: [search] }))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
    expect(await version()).toBe(1);
  });
});

describe("replaceJobAnnotations 428", () => {
  it("refuses a request without the version on which it is based [A25-3]", async () => {
    for (const header of [undefined, "", "*", "0", '"a"', '"-1"', '"0", "1"', `"${"9".repeat(40)}"`]) {
      const headers = header === undefined ? {} : { "if-match": header };
      const body = { document: annotations() };
      const answer = await client.send("PUT", `/v1/jobs/${jobId}/annotations`, body, headers);
      expectError(answer, 428, "version_required", header);
    }
    expect(await version()).toBe(0);
  });
});

describe("replaceJobAnnotations 429", () => {
  it("counts a large document as several requests [A25-5]", async () => {
    const admits = vi.spyOn(home.platform.requestRate, "admits");
    const objects = Array.from({ length: 9 }, (_, i) => ({ id: `a/${i}`, recipe: "x".repeat(65_536) }));
    await save(annotations());
    const small = admits.mock.calls.length;
    await save(annotations([{ taskId, objects }]), 1);
    expect(admits.mock.calls.length - small).toBe(small + 2);
  });
});
