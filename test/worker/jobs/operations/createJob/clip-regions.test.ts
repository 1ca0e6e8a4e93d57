import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../../../support/worker/client/api.ts";
import {
  deliver,
  finishJob,
  FakeInference,
  videoSuccess,
  taskMessage,
} from "../../../../support/worker/fakes/inference.ts";
import { MP4, uploaded, videoJob } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf, traces } from "../../../../support/worker/fixtures/ledger.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

const BOX = [10, 20, 30.5, 40] as const;
const ON = { x: 5, y: 6.5, label: 1 } as const;
const BESIDE = { x: 50, y: 6, label: 0 } as const;

let client: Client;
let taskId: string;
beforeEach(async () => {
  client = await newClient();
  taskId = await uploaded(client, MP4, "video/mp4");
});

const create = async (changes: object): Promise<string> => {
  const { status, body } = await client.send("POST", "/v1/jobs", videoJob(taskId, changes));
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.jobId;
};

describe("createJob 202 with regions of a video", () => {
  it.each([
    ["regions alone", undefined, []],
    ["regions and words", ["dog"], ["dog"]],
  ])(
    "gives the inference service its %s, with index, time, object and label [A5-14 A5-16]",
    async (_, asked, prompts) => {
      const inference = new FakeInference();
      const jobId = await create({
        prompts: asked,
        regions: [
          { taskId, box: BOX },
          { taskId, timeSeconds: 1.5, points: [ON, BESIDE], objectId: 7, label: "camel" },
          { taskId, timeSeconds: 1e9, points: [ON], objectId: 7 },
        ],
      });
      // Later requests read a job's record again.
      await evictDurableObject(env.JOBS.getByName(jobId));
      await deliver("segmentation-bulk", taskMessage(jobId, taskId));
      expect(inference.last).toMatchObject({ type: "video", prompts });
      expect(inference.last.regions).toEqual([
        { index: 0, timeSeconds: 0, box: [10, 20, 30.5, 40] },
        { index: 1, timeSeconds: 1.5, points: [ON, BESIDE], objectId: 7, label: "camel" },
        { index: 2, timeSeconds: 1e9, points: [ON], objectId: 7 },
      ]);
    },
  );

  it("takes 50 regions of 10 objects [A5-14]", async () => {
    const regions = Array.from({ length: 50 }, (_, i) => ({
      taskId,
      box: BOX,
      timeSeconds: i,
      // The tenth object has no number.
      ...(i > 0 && { objectId: 1 + (i % 9), label: `object ${i % 9}` }),
    }));
    await create({ prompts: undefined, regions });
  });

  it("names objects in COCO by their labels, once each [A5-13 A5-15]", async () => {
    const inference = new FakeInference();
    const jobId = await create({
      formats: ["coco"],
      regions: [
        { taskId, box: BOX, objectId: 1 },
        { taskId, timeSeconds: 2, box: BOX, objectId: 1, label: "camel" },
        { taskId, box: BOX },
      ],
    });
    await deliver("segmentation-bulk", taskMessage(jobId, taskId));
    expect(inference.last).toMatchObject({ formats: { regionNames: ["camel", "region"] } });
  });

  it.each([
    ["words", { prompts: ["dog"] }],
    ["regions", { prompts: undefined, regions: true }],
    ["both", { prompts: ["dog"], regions: true }],
  ])("costs a unit per processed frame by %s [A5-17]", async (_, { prompts, ...rest }) => {
    const inference = new FakeInference();
    const regions = "regions" in rest && {
      regions: [
        { taskId, box: BOX },
        { taskId, points: [ON] },
      ],
    };
    const jobId = await create({ prompts, numFrames: 8, ...regions });
    await finishJob(inference, client.accountId, jobId, [taskId], () => videoSuccess(5));
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 8],
      ["settle", 5],
      ["release", 3],
    ]);
  });
});

describe("createJob 400 for regions of a video", () => {
  const other = "00000000-0000-4000-8000-000000000000.mp4";
  it.each<[string, (own: string) => object]>([
    ["neither prompts nor regions", () => ({ prompts: undefined })],
    ["an empty list of regions", () => ({ regions: [] })],
    [
      "51 regions",
      (own) => ({ regions: Array.from({ length: 51 }, () => ({ taskId: own, box: BOX, objectId: 1 })) }),
    ],
    ["11 objects", (own) => ({ regions: Array.from({ length: 11 }, () => ({ taskId: own, box: BOX })) })],
    ["a region of another task", () => ({ regions: [{ taskId: other, box: BOX }] })],
    ["a region without a box and points", (own) => ({ regions: [{ taskId: own, timeSeconds: 1 }] })],
    ["a time before the start", (own) => ({ regions: [{ taskId: own, box: BOX, timeSeconds: -0.1 }] })],
    ["an object's number of 0", (own) => ({ regions: [{ taskId: own, box: BOX, objectId: 0 }] })],
    ["an object's number of 1,001", (own) => ({ regions: [{ taskId: own, box: BOX, objectId: 1_001 }] })],
    [
      "a label of 101 characters",
      (own) => ({ regions: [{ taskId: own, box: BOX, label: "a".repeat(101) }] }),
    ],
    [
      "a mask to refine",
      (own) => ({ regions: [{ taskId: own, box: BOX, refines: { jobId: "job_1", maskIndex: 0 } }] }),
    ],
  ])("refuses %s [A5-14]", async (_, changes) => {
    const answer = await client.send("POST", "/v1/jobs", videoJob(taskId, changes(taskId)));
    expectError(answer, 400, "invalid_request");
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });

  it("refuses an object with two labels, and names the region [A5-15]", async () => {
    const regions = ["camel", undefined, "goat"].map((label) => ({ taskId, box: BOX, objectId: 3, label }));
    const answer = await client.send("POST", "/v1/jobs", videoJob(taskId, { regions }));
    expectError(answer, 400, "invalid_request");
    expect(answer.body.message).toContain(
      "regions[2].label: is not that of the other regions with objectId 3",
    );
  });
});
