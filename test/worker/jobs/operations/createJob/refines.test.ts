import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { JobStatus } from "../../../../../src/jobs/contract/job.ts";
import { inputKey } from "../../../../../src/shared/bucket/object-keys.ts";
import { JobObject } from "../../../../../src/jobs/object/job-object.ts";
import { at } from "../../../../support/at.ts";
import { type Answer, type Client, newClient } from "../../../../support/worker/client/api.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import {
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../../../support/worker/fakes/inference.ts";
import { GIF, newJob, newVideoJob, uploaded } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf, ledgerFindings, traces, useTokens } from "../../../../support/worker/fixtures/ledger.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

const ON = { x: 5, y: 6.5, label: 1 } as const;
/** Number of free refinements of a picture. */
const FREE = 20;

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

/** Creates a successful job with this many new pictures, each with two masks. */
async function segmented(pictures = 1): Promise<{ jobId: string; tasks: string[]; taskId: string }> {
  const job = await newJob(client, pictures);
  await finishJob(inference, client.accountId, job.jobId, job.tasks, () => success(2));
  return job;
}

const refinement = (jobId: string, taskId: string, maskIndex = 0) => ({
  taskId,
  points: [ON],
  refines: { jobId, maskIndex },
});

const send = (tasks: readonly string[], regions: readonly object[], changes: object = {}): Promise<Answer> =>
  client.send("POST", "/v1/jobs", { type: "image", tasks, regions, ...changes });

/** Refines a mask. Returns the job's id. */
async function refine(tasks: readonly string[], regions: readonly object[], changes = {}): Promise<string> {
  const { status, body } = await send(tasks, regions, changes);
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.jobId;
}

const reserved = async (jobId: string): Promise<number | undefined> => (await entriesOf(jobId))[0]?.[1];

/** Sets the number of free jobs that have refined masks of a picture. */
const useUp = (taskId: string, times: number): Promise<unknown> =>
  home.DB.prepare("UPDATE uploads SET refined = ?2 WHERE task_id = ?1").bind(taskId, times).run();

describe("createJob 202 with regions that refine a mask", () => {
  it("gives the inference service the masks' signed URLs, of this task alone [A5-20]", async () => {
    const { jobId: first, tasks } = await segmented(2);
    const [one, two] = [at(tasks, 0), at(tasks, 1)];
    const jobId = await refine(tasks, [
      refinement(first, two, 1),
      { taskId: one, points: [ON] },
      { ...refinement(first, one), label: "cup" },
    ]);
    await deliverTask(jobId, one);
    expect(inference.last).toMatchObject({
      regions: [
        { index: 1, points: [ON] },
        { index: 2, points: [ON], label: "cup" },
      ],
      priorMasks: [{ regionIndex: 2 }],
    });
    await deliverTask(jobId, two);
    const [prior] = ("priorMasks" in inference.last && inference.last.priorMasks) || [];
    const url = new URL(prior?.url ?? "");
    expect(url.pathname).toMatch(
      new RegExp(`/outputs/${client.accountId}/${first}/${two}/\\d+/masks/1.png$`),
    );
    expect(url.searchParams.has("X-Amz-Signature")).toBe(true);
    expect(prior?.regionIndex).toBe(0);
  });

  it("refines a refined mask: each mask names its job [A5-20]", async () => {
    const { jobId: first, taskId } = await segmented();
    const second = await refine([taskId], [refinement(first, taskId)]);
    await finishJob(inference, client.accountId, second, [taskId]);
    const third = await refine([taskId], [refinement(second, taskId), refinement(first, taskId, 1)]);
    await deliverTask(third, taskId);
    expect(inference.last).toMatchObject({
      priorMasks: [
        { regionIndex: 0, url: expect.stringContaining(second) },
        { regionIndex: 1, url: expect.stringContaining(first) },
      ],
    });
    const { body } = await client.send("GET", `/v1/jobs/${third}?include=request`);
    expect(JobStatus.parse(body).refines).toEqual([
      { jobId: second, maskIndex: 0 },
      { jobId: first, maskIndex: 1 },
    ]);
  });
});

describe("createJob, free of charge for refinements", () => {
  it("is free for the first 20 jobs of a picture, then costs a unit, and the result says so [A5-22]", async () => {
    const { jobId, taskId } = await segmented();
    const units = [];
    for (let i = 0; i <= FREE; i += 1) {
      const refined = await refine([taskId], [refinement(jobId, taskId)]);
      await finishJob(inference, client.accountId, refined, [taskId]);
      const [, settled] = await entriesOf(refined);
      const { manifest } = (await client.send("GET", `/v1/jobs/${refined}/result`)).body;
      units.push({ settled: settled?.[1], inResult: manifest.items[0].units });
    }
    expect(units).toEqual([
      ...Array.from({ length: FREE }, () => ({ settled: 0, inResult: 0 })),
      { settled: 1, inResult: 1 },
    ]);
    expect(await ledgerFindings()).toEqual([]);
  });

  it("accepts at most 20 for free, with any number of concurrent requests [A5-23]", async () => {
    const { jobId, taskId } = await segmented();
    await useUp(taskId, FREE - 3);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send([taskId], [refinement(jobId, taskId)])),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    const units = await Promise.all(accepted.map(({ body }) => reserved(body.jobId)));
    expect(units.filter((each) => each === 0)).toHaveLength(3);
    // A late job left nothing behind, and a repeated request is charged.
    for (const late of answers.filter(({ status }) => status !== 202))
      expectError(late, 502, "enqueue_failed");
    expect(await reserved(await refine([taskId], [refinement(jobId, taskId)]))).toBe(1);
  });

  it("charges a unit for each picture with an added prompt, or a region that refines nothing [A5-22]", async () => {
    const { jobId, tasks } = await segmented(2);
    const [one, two] = [at(tasks, 0), at(tasks, 1)];
    const regions = [refinement(jobId, one), refinement(jobId, two)];
    expect(await reserved(await refine(tasks, regions, { prompts: ["cat"] }))).toBe(2);
    expect(await reserved(await refine(tasks, [at(regions, 0), { taskId: two, points: [ON] }]))).toBe(2);
  });

  it("charges for all pictures if one has no free refinements left [A5-22]", async () => {
    const { jobId, tasks } = await segmented(2);
    const regions = tasks.map((taskId) => refinement(jobId, taskId));
    expect(await reserved(await refine(tasks, regions))).toBe(0);
    await useUp(at(tasks, 1), FREE);
    expect(await reserved(await refine(tasks, regions))).toBe(2);
  });

  it("refines in a trial without tokens, until the trial is over [A5-22]", async () => {
    client = await newClient("trial");
    const { jobId, taskId } = await segmented();
    await useTokens(client.accountId, 99);
    const refined = await refine([taskId], [refinement(jobId, taskId)]);
    expect(await reserved(refined)).toBe(0);
    await finishJob(inference, client.accountId, refined, [taskId]);
    await useUp(taskId, FREE);
    expectError(await send([taskId], [refinement(jobId, taskId)]), 402, "trial_exhausted");
  });

  it("returns a free refinement back if its job was not created [A5-22]", async () => {
    const { jobId, taskId } = await segmented();
    await useUp(taskId, FREE - 1);
    vi.spyOn(JobObject.prototype, "accept").mockRejectedValueOnce(new Error("the object was reset"));
    expectError(await send([taskId], [refinement(jobId, taskId)]), 502, "enqueue_failed");
    expect(await reserved(await refine([taskId], [refinement(jobId, taskId)]))).toBe(0);
    expect(await reserved(await refine([taskId], [refinement(jobId, taskId)]))).toBe(1);
  });
});

describe("createJob 404", () => {
  let taskId: string;
  let jobId: string;
  beforeEach(async () => {
    ({ jobId, taskId } = await segmented());
  });

  it.each<[string, number, string, () => Promise<object>]>([
    [
      "of a job that does not exist",
      404,
      "job_not_found",
      async () => refinement("job_019aa0f61c4e7d2d9be7a5f40b8a6c21", taskId),
    ],
    ["of what is no job's id", 404, "job_not_found", async () => refinement("../job", taskId)],
    [
      "of another account's job",
      404,
      "job_not_found",
      async () => {
        const own = client;
        client = await newClient();
        const { jobId: others } = await segmented();
        client = own;
        return refinement(others, taskId);
      },
    ],
    [
      "of a deleted job",
      404,
      "job_not_found",
      async () => {
        await client.send("DELETE", `/v1/jobs/${jobId}`);
        return refinement(jobId, taskId);
      },
    ],
    [
      "of a job in progress",
      409,
      "job_not_ready",
      async () => refinement((await newJob(client)).jobId, taskId),
    ],
    [
      "of a job that failed",
      409,
      "job_not_ready",
      async () => {
        const { jobId: failed, tasks } = await newJob(client);
        await finishJob(inference, client.accountId, failed, tasks, () => failure(false));
        return refinement(failed, taskId);
      },
    ],
    ["that the picture does not have", 404, "mask_not_found", async () => refinement(jobId, taskId, 2)],
    ["of another picture", 404, "mask_not_found", async () => refinement((await segmented()).jobId, taskId)],
    [
      "of a video",
      404,
      "mask_not_found",
      async () => {
        const video = await newVideoJob(client);
        await finishJob(inference, client.accountId, video.jobId, [video.taskId], () => videoSuccess(2));
        return refinement(video.jobId, taskId);
      },
    ],
    [
      "of a file that was replaced",
      404,
      "mask_not_found",
      async () => {
        await env.MEDIA.put(inputKey(client.accountId, taskId), GIF);
        return refinement(jobId, taskId);
      },
    ],
  ])("refuses a mask %s: %i %s [A5-21]", async (_, status, code, region) => {
    const refining = await region();
    const before = await traces();
    const answer = await send([taskId], [{ taskId, points: [ON] }, refining]);
    expectError(answer, status, code);
    if (refining !== undefined && code !== "job_not_found")
      expect(answer.body.message).toContain("regions[1]");
    expect(await traces()).toEqual(before);
  });

  it("refuses masks of more than 10 jobs [A5-21]", async () => {
    const other = await uploaded(client);
    const regions = Array.from({ length: 11 }, (_, i) => refinement(`job_${i}`, other));
    expectError(await send([other], regions), 400, "invalid_request");
  });
});
