import type { ModelDescription } from "@segmentation/protocol";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { at } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { installPools, SimulatedPool } from "../../support/worker/fakes/simulated-pool.ts";
import { callBack, deliverTask } from "../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

/** The service has these pools, in this order, for the rest of the test. */
function pooled<Pools extends readonly SimulatedPool[]>(...pools: Pools): Pools {
  installPools(pools);
  return pools;
}

/** Offers the picture of a job with these changes. */
async function deliverJob(changes: object): Promise<void> {
  const { taskId } = await newJob(client);
  const { status, body } = await client.send("POST", "/v1/jobs", {
    type: "image",
    prompts: ["cat"],
    tasks: [taskId],
    ...changes,
  });
  expect(status, JSON.stringify(body)).toBe(202);
  await deliverTask(body.jobId, taskId);
}

const box = (taskId: string) => ({ taskId, box: [1, 1, 5, 5] });
const NO_REGIONS = { regions: { box: false, points: false, clips: false, examples: false } };
/** The tasks that a pool has begun, without their leases. */
const begunBy = (pool: SimulatedPool): string[] => pool.begun.map((key) => key.replace(/\.\d+$/, ""));

describe("a task goes", () => {
  it.each<readonly [string, (first: SimulatedPool) => void]>([
    ["is full", (first) => (first.capacity = 0)],
    ["is away", (first) => (first.condition = "away")],
  ])("to the second pool while the first one %s, and back to the first afterwards", async (_, impair) => {
    const [first, second] = pooled(new SimulatedPool("first", 9), new SimulatedPool("second", 9));
    const { jobId, tasks } = await newJob(client, 3);
    await deliverTask(jobId, at(tasks, 0));
    expect(begunBy(first)).toEqual([`${jobId}.${tasks[0]}`]);
    const { capacity } = first;
    impair(first);
    await deliverTask(jobId, at(tasks, 1));
    expect(begunBy(second)).toEqual([`${jobId}.${tasks[1]}`]);
    Object.assign(first, { capacity, condition: "up" });
    later(10_000);
    await deliverTask(jobId, at(tasks, 2));
    expect(begunBy(first)).toEqual([`${jobId}.${tasks[0]}`, `${jobId}.${tasks[2]}`]);
  });

  it("to the first pool whose model serves it: regions, words, formats, videos", async () => {
    const [plain, drawing] = pooled(
      new SimulatedPool("plain", 9, {
        ...NO_REGIONS,
        vocabulary: ["cat"],
        formats: [],
        capabilities: { types: ["image"], preview: true },
      }),
      new SimulatedPool("drawing", 9, {
        regions: { box: true, points: false, clips: false, examples: false },
      }),
    );
    await deliverJob({});
    expect([plain.begun.length, drawing.begun.length]).toEqual([1, 0]);
    const { taskId } = await newJob(client);
    const drawn = { type: "image", tasks: [taskId], regions: [box(taskId)] };
    const { body } = await client.send("POST", "/v1/jobs", drawn);
    await deliverTask(body.jobId, taskId);
    await deliverJob({ prompts: ["a cat on a fence"] });
    await deliverJob({ formats: ["coco"] });
    const video = await newVideoJob(client);
    await deliverTask(video.jobId, video.taskId);
    expect([plain.begun.length, drawing.begun.length]).toEqual([1, 4]);
  });

  it("to the first pool that finds all objects like an example, if a region wants them", async () => {
    const regions = { box: true, points: true, clips: true, examples: false };
    const [drawing, finding] = pooled(
      new SimulatedPool("drawing", 9, { regions }),
      new SimulatedPool("finding", 9, { regions: { ...NO_REGIONS.regions, examples: true } }),
    );
    for (const region of [{ box: [1, 1, 9, 9] }, { points: [{ x: 1, y: 1, label: 1 }] }]) {
      const { taskId } = await newJob(client);
      const job = { type: "image", tasks: [taskId], regions: [{ taskId, ...region, findAll: true }] };
      const { body } = await client.send("POST", "/v1/jobs", job);
      await deliverTask(body.jobId, taskId);
    }
    // A point needs a model that draws it too: no pool has both, and the first one says so.
    expect([drawing.begun.length, finding.begun.length]).toEqual([1, 1]);
  });

  it("to the first pool if none serves it, which then reports so", async () => {
    const [first, second] = pooled(
      new SimulatedPool("first", 9, NO_REGIONS),
      new SimulatedPool("second", 9, NO_REGIONS),
    );
    const { taskId } = await newJob(client);
    const job = { type: "image", tasks: [taskId], regions: [box(taskId)] };
    const { body } = await client.send("POST", "/v1/jobs", job);
    await deliverTask(body.jobId, taskId);
    expect([first.begun.length, second.begun.length]).toEqual([1, 0]);
  });

  it("to the next pool with room if only its word is no label: it may be a synonym", async () => {
    const closed = { vocabulary: ["cat"] };
    const [first, second] = pooled(
      new SimulatedPool("first", 1, closed),
      new SimulatedPool("plain", 9, { ...closed, formats: [] }),
      new SimulatedPool("second", 9, closed),
    ).filter(({ name }) => name !== "plain");
    const jobs = { prompts: ["kitty"], formats: ["coco"] };
    await deliverJob(jobs);
    await deliverJob(jobs);
    expect([first?.begun.length, second?.begun.length]).toEqual([1, 1]);
  });

  it.each<readonly [string, Partial<ModelDescription>, number]>([
    ["to the next pool while the first, with the same labels, is away", { vocabulary: ["cat"] }, 1],
    ["nowhere while the only open vocabulary is away", { vocabulary: "open" }, 0],
  ])("%s, also from an isolate that never saw that pool", async (_, model, begun) => {
    const first = new SimulatedPool("first", 9, model);
    const second = new SimulatedPool("second", 9, { vocabulary: ["cat"] });
    pooled(first, second);
    await deliverJob({ prompts: ["kitty"] });
    first.condition = "away";
    pooled(first, second);
    await deliverJob({ prompts: ["a tabby on a fence"] });
    expect([first.begun.length, second.begun.length]).toEqual([1, begun]);
    await deliverJob({ prompts: ["Cat"] });
    expect(second.begun).toHaveLength(begun + 1);
  });

  it("nowhere while the only pool that serves it is away, and loses no attempt", async () => {
    const [plain, drawing] = pooled(
      new SimulatedPool("plain", 9, NO_REGIONS),
      new SimulatedPool("drawing", 9),
    );
    const { taskId } = await newJob(client);
    const job = { type: "image", tasks: [taskId], regions: [box(taskId)] };
    const { body } = await client.send("POST", "/v1/jobs", job);
    drawing.condition = "away";
    for (let offer = 0; offer < 5; offer += 1) {
      await deliverTask(body.jobId, taskId);
      later(60_000);
    }
    expect([plain.begun, drawing.begun]).toEqual([[], []]);
    drawing.condition = "up";
    await deliverTask(body.jobId, taskId);
    expect(drawing.begun).toHaveLength(1);
    const report = await env.JOBS.getByName(body.jobId).report();
    expect(report?.tasks[0]).toMatchObject({ at: "leased", attempts: 1 });
  });
});

describe("a task that a pool may have taken without an answer", () => {
  it("is canceled there and goes to the next pool under a new lease", async () => {
    const [first, second] = pooled(new SimulatedPool("first", 9), new SimulatedPool("second", 9));
    const { jobId, tasks } = await newJob(client, 2);
    await deliverTask(jobId, at(tasks, 1));
    first.condition = "silent";
    await deliverTask(jobId, at(tasks, 0));
    expect(first.begun).toHaveLength(2);
    expect(first.cancelled).toEqual(first.begun.slice(1));
    expect(begunBy(second)).toEqual([`${jobId}.${tasks[0]}`]);
    expect(second.begun).not.toEqual(first.cancelled);
  });
});

describe("a cancellation", () => {
  it("goes to the pool with the task alone, and to all if none has reported it", async () => {
    const [first, second] = pooled(new SimulatedPool("first", 1), new SimulatedPool("second", 9));
    const { jobId, tasks } = await newJob(client, 3);
    await deliverTask(jobId, at(tasks, 0));
    await deliverTask(jobId, at(tasks, 1));
    await env.JOBS.getByName(jobId).claimTask(at(tasks, 2));
    const held = [...first.begun];
    const others = [...second.begun];
    await env.JOBS.getByName(jobId).cancel(client.accountId);
    const unknown = expect.stringContaining(at(tasks, 2));
    await expect.poll(() => first.cancelled.toSorted(), PATIENT).toHaveLength(2);
    await expect.poll(() => second.cancelled, PATIENT).toHaveLength(2);
    expect(first.cancelled).toEqual(expect.arrayContaining([...held, unknown]));
    expect(second.cancelled).toEqual(expect.arrayContaining([...others, unknown]));
  });

  it("after a hand-back goes to the pool that has the task now", async () => {
    const [first, second] = pooled(new SimulatedPool("first", 1), new SimulatedPool("second", 9));
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const [given] = [...first.running.values()];
    if (given === undefined) throw new Error("the first pool has no task");
    expect((await callBack(given, "complete", { outcome: "returned" })).status).toBe(204);
    first.capacity = 0;
    await deliverTask(jobId, taskId);
    await env.JOBS.getByName(jobId).cancel(client.accountId);
    await expect.poll(() => second.cancelled, PATIENT).toEqual(second.begun);
    expect(first.cancelled).toEqual([]);
  });
});

describe("the model of several pools", () => {
  const decoder = { sha256: "5a".repeat(32), bytes: 7 };

  it("has the decoder of the pools with embeddings, and asks an available one for it", async () => {
    const pools = pooled(
      new SimulatedPool("plain", 9),
      new SimulatedPool("away", 9, { decoder }),
      new SimulatedPool("embedding", 9, { decoder }),
    );
    await client.send("GET", "/v1/model");
    later(60_000);
    Object.assign(pools[1], { condition: "away" });
    pools[2].decoders.length = 0;
    await client.send("GET", "/v1/model");
    expect(pools.map(({ decoders }) => decoders.length)).toEqual([0, pools[1].decoders.length, 1]);
  });

  it("has no decoder if two differ: an embedding does not name its pool", async () => {
    const other = { ...decoder, sha256: "0f".repeat(32) };
    const pools = pooled(
      new SimulatedPool("a", 9, { decoder }),
      new SimulatedPool("b", 9, { decoder: other }),
    );
    expect((await client.send("GET", "/v1/model")).status).toBe(200);
    expect(pools.flatMap(({ decoders }) => decoders)).toEqual([]);
  });

  it("is one object with the capabilities of all", async () => {
    pooled(
      new SimulatedPool("closed", 9, { vocabulary: ["cat"], formats: ["coco"], version: "1" }),
      new SimulatedPool("open", 9, { ...NO_REGIONS, formats: ["yolo"], version: "2", attributes: true }),
      Object.assign(new SimulatedPool("absent", 9), { condition: "away" as const }),
    );
    const { status, body } = await client.send("GET", "/v1/model");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: "closed+open",
      version: "1+2",
      family: "builtin",
      vocabulary: "open",
      attributes: true,
      regions: { box: true, points: false, clips: false, examples: false },
      formats: ["coco", "yolo"],
    });
  });

  it("keeps an absent pool's capabilities", async () => {
    const open = new SimulatedPool("open", 9);
    const closed = new SimulatedPool("closed", 9, { vocabulary: ["cat"] });
    pooled(open, closed);
    await client.send("GET", "/v1/model");
    open.condition = "away";
    pooled(open, closed);
    later(60_000);
    expect((await client.send("GET", "/v1/model")).body).toMatchObject({
      id: "open+closed",
      vocabulary: "open",
    });
  });

  it("is unavailable while all of them are away", async () => {
    const away = (name: string) => Object.assign(new SimulatedPool(name, 9), { condition: "away" as const });
    pooled(away("first"), away("second"));
    expect((await client.send("GET", "/v1/model")).status).toBe(503);
  });
});
