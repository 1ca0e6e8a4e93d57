import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ImageJobResult } from "../../../../../src/jobs/contract/result.ts";
import { type Client, newClient } from "../../../../support/worker/client/api.ts";
import {
  deliverTask,
  finishJob,
  FakeInference,
  success,
} from "../../../../support/worker/fakes/inference.ts";
import { imageJob, uploaded, uploads } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf, traces } from "../../../../support/worker/fixtures/ledger.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

const BOX = [10, 20, 30.5, 40] as const;
const ON = { x: 5, y: 6.5, label: 1 } as const;
const BESIDE = { x: 50, y: 6, label: 0 } as const;

describe("createJob 202 with regions", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const create = async (tasks: readonly string[], changes: object): Promise<string> => {
    const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks, changes));
    expect({ status, body }).toMatchObject({ status: 202 });
    return body.jobId;
  };

  it("gives each task of the inference service its own regions, with their index in the request [A5-2]", async () => {
    const inference = new FakeInference();
    const tasks = await uploads(client, 3);
    const [first, second] = tasks;
    const jobId = await create(tasks, {
      regions: [
        { taskId: second, box: BOX },
        { taskId: first, points: [ON] },
        { taskId: second, points: [BESIDE, ON] },
      ],
    });
    // Later requests read a job's record again.
    await evictDurableObject(env.JOBS.getByName(jobId));
    const requests = [];
    for (const taskId of tasks) {
      await deliverTask(jobId, taskId);
      requests.push(inference.last);
    }
    expect(requests).toMatchObject([
      { prompts: ["cat"], regions: [{ index: 1, points: [ON] }] },
      {
        regions: [
          { index: 0, box: [10, 20, 30.5, 40] },
          { index: 2, points: [BESIDE, ON] },
        ],
      },
      {},
    ]);
    expect(requests[2]).not.toHaveProperty("regions");
  });

  it("accepts a job of regions alone, with no prompts in its manifest, and a mask for each region [A5-3]", async () => {
    const inference = new FakeInference();
    const taskId = await uploaded(client);
    const jobId = await create([taskId], {
      prompts: undefined,
      regions: [
        { taskId, box: BOX },
        { taskId, points: [ON] },
      ],
    });
    const masks = [0, 1].map((index) => ({
      maskIndex: index,
      regionIndex: index,
      confidence: 0.9,
      file: `masks/${index}.png`,
    }));
    await finishJob(inference, client.accountId, jobId, [taskId], () => success(0, { masks }));
    expect(inference.last).toMatchObject({ prompts: [], limits: { masks: 0 } });

    const { body } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    const { manifest, assets } = ImageJobResult.parse(body);
    expect(manifest.prompts).toEqual([]);
    expect(manifest.items[0]?.masks).toMatchObject([
      { maskIndex: 0, confidence: 0.9 },
      { maskIndex: 1, confidence: 0.9 },
    ]);
    expect(assets.map(({ key }) => key)).toEqual([`masks/${taskId}/0.png`, `masks/${taskId}/1.png`]);
  });

  it("gives each task its regions' labels, and its formats the names of all the job's regions [A5-13]", async () => {
    const inference = new FakeInference();
    const tasks = await uploads(client, 2);
    const [first, second] = tasks;
    const jobId = await create(tasks, {
      formats: ["coco"],
      regions: [
        { taskId: first, box: BOX, label: "cup" },
        { taskId: second, box: BOX },
        { taskId: second, points: [ON], label: "é".repeat(100) },
      ],
    });
    const regionNames = ["cup", "region", "é".repeat(100)];
    await deliverTask(jobId, tasks[0] ?? "");
    expect(inference.last).toMatchObject({
      regions: [{ index: 0, label: "cup" }],
      formats: { regionNames },
    });
    await deliverTask(jobId, tasks[1] ?? "");
    expect(inference.last).toMatchObject({
      regions: [{ index: 1 }, { index: 2, label: "é".repeat(100) }],
      formats: { regionNames },
    });
  });

  it("takes 50 regions of 20 points each, and a region outside of any picture: only the task can know [A5-1]", async () => {
    const taskId = await uploaded(client);
    const points = Array.from({ length: 20 }, () => ({ x: 123.456_789, y: -1e9, label: 1 }));
    await create([taskId], { regions: Array.from({ length: 50 }, () => ({ taskId, points })) });
  });

  it("costs a picture's unit for any number of regions [A5-12]", async () => {
    const taskId = await uploaded(client);
    const jobId = await create([taskId], {
      prompts: undefined,
      regions: [
        { taskId, box: BOX },
        { taskId, points: [ON] },
      ],
    });
    expect(await entriesOf(jobId)).toEqual([["reserve", 1]]);
  });
});

describe("createJob 400 for regions", () => {
  let client: Client;
  let taskId: string;
  beforeEach(async () => {
    client = await newClient();
    taskId = await uploaded(client);
  });

  it.each<[string, (own: string) => object]>([
    ["an empty list of regions", () => ({ regions: [] })],
    ["51 regions", (own) => ({ regions: Array.from({ length: 51 }, () => ({ taskId: own, box: BOX })) })],
    ["a region without a task", () => ({ regions: [{ box: BOX }] })],
    [
      "a region of a task that is not the job's",
      () => ({ regions: [{ taskId: "00000000-0000-4000-8000-000000000000.png", box: BOX }] }),
    ],
    ["a region without a box and points", (own) => ({ regions: [{ taskId: own }] })],
    ["a region with both", (own) => ({ regions: [{ taskId: own, box: BOX, points: [ON] }] })],
    ["a region with an unknown field", (own) => ({ regions: [{ taskId: own, box: BOX, colour: "red" }] })],
    ["a box of three numbers", (own) => ({ regions: [{ taskId: own, box: [1, 2, 3] }] })],
    ["a box of five numbers", (own) => ({ regions: [{ taskId: own, box: [1, 2, 3, 4, 5] }] })],
    ["a box without a width", (own) => ({ regions: [{ taskId: own, box: [1, 2, 0, 4] }] })],
    ["a box of texts", (own) => ({ regions: [{ taskId: own, box: ["1", "2", "3", "4"] }] })],
    ["an empty list of points", (own) => ({ regions: [{ taskId: own, points: [] }] })],
    ["21 points", (own) => ({ regions: [{ taskId: own, points: Array.from({ length: 21 }, () => ON) }] })],
    ["points that are all outside the object", (own) => ({ regions: [{ taskId: own, points: [BESIDE] }] })],
    ["a label of 2", (own) => ({ regions: [{ taskId: own, points: [ON, { ...ON, label: 2 }] }] })],
    ["a point without a label", (own) => ({ regions: [{ taskId: own, points: [{ x: 1, y: 1 }] }] })],
    ["an empty label", (own) => ({ regions: [{ taskId: own, box: BOX, label: "" }] })],
    [
      "a label of 101 characters",
      (own) => ({ regions: [{ taskId: own, box: BOX, label: "é".repeat(101) }] }),
    ],
    ["the time of a video", (own) => ({ regions: [{ taskId: own, box: BOX, timeSeconds: 1 }] })],
    [
      "an empty array of prompts with regions",
      (own) => ({ prompts: [], regions: [{ taskId: own, box: BOX }] }),
    ],
  ])("refuses %s [A5-1 A5-2 A5-13]", async (_, changes) => {
    expectError(
      await client.send("POST", "/v1/jobs", imageJob([taskId], changes(taskId))),
      400,
      "invalid_request",
    );
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });

  it("refuses a task for which a job without prompts has no region, and names it [A5-3]", async () => {
    const other = await uploaded(client);
    const changes = { prompts: undefined, regions: [{ taskId, box: BOX }] };
    const answer = await client.send("POST", "/v1/jobs", imageJob([taskId, other], changes));
    expectError(answer, 400, "invalid_request");
    expect(answer.body.message).toContain("tasks[1]");
  });
});
