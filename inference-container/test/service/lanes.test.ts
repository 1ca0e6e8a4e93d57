import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Rig, SERVICE_TOKEN, startRig, until } from "../support/service/running-service.ts";

describe("with one place, and room for two that wait", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ QUEUE_CAPACITY: "2", IN_FLIGHT: "1" });
  });
  afterAll(() => rig[Symbol.asyncDispose]());
  // The Worker hears of a task's end before its place is free.
  afterEach(() =>
    until(async () =>
      (await (await fetch(`${rig.service.url}/metrics`)).text()).includes("inference_in_flight 0\n"),
    ),
  );

  test("a full lane answers 429 with Retry-After, and the other lanes still accept", async () => {
    const post = (key: string, lane: "bulk" | "trial"): Promise<Response> =>
      rig.post(rig.worker.request({ key, lane, prompts: ["slow"] }));
    const answers = [];
    for (const key of ["a", "b", "c", "d"]) answers.push(await post(key, "bulk"));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answers[3]?.json()).toMatchObject({ error: "lane_full" });
    expect((await post("e", "trial")).status).toBe(202);
    expect(await (await fetch(`${rig.service.url}/readyz`)).json()).toMatchObject({
      state: "BUSY",
      tasks: 4,
    });
    const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
    expect(metrics).toContain('inference_queue_depth{lane="bulk"} 2');
    for (const key of ["a", "b", "c", "e"]) await rig.worker.completed(key);
  });

  test("waiting tasks go by lane: single pictures, then paid bulk, then trials, in any order of arrival", async () => {
    const order: string[] = [];
    const keys = ["bulk-1", "trial-1", "trial-2", "bulk-2", "interactive-1", "bulk-3"];
    for (const key of keys) {
      const lane = key.startsWith("bulk") ? "bulk" : key.startsWith("trial") ? "trial" : "interactive";
      expect((await rig.post(rig.worker.request({ key, lane, prompts: ["slow"] }))).status).toBe(202);
    }
    await Promise.all(keys.map((key) => rig.worker.completed(key).then(() => order.push(key))));
    expect(order).toEqual(["bulk-1", "interactive-1", "bulk-2", "bulk-3", "trial-1", "trial-2"]);
  });

  test("a full lane still takes an older task: the youngest that waits gives way and is handed back", async () => {
    const post = (key: string, acceptedAt: number): Promise<Response> =>
      rig.post(rig.worker.request({ key, acceptedAt, prompts: ["slow"] }));
    const [running, old, young] = [post("running", 1), post("old", 20), post("young", 40)];
    expect((await Promise.all([running, old, young])).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await post("younger-still", 50)).status).toBe(429);
    expect((await post("older", 10)).status).toBe(202);
    expect(await rig.worker.completed("young")).toEqual({ outcome: "returned" });
    const order: string[] = [];
    const keys = ["running", "older", "old"];
    await Promise.all(keys.map((key) => rig.worker.completed(key).then(() => order.push(key))));
    expect(order).toEqual(keys);
    expect(rig.worker.completions.get("young")).toHaveLength(1);
  });

  test("a question for room names the tasks that would find it, in their order, and reserves nothing", async () => {
    const post = (key: string, acceptedAt: number): Promise<Response> =>
      rig.post(rig.worker.request({ key, acceptedAt, prompts: ["slow"] }));
    const ask = async (...times: number[]): Promise<unknown> => {
      const { account, lane, type } = rig.worker.request({ key: "asked" });
      const tasks = times.map((acceptedAt) => ({ account, lane, type, acceptedAt }));
      return await (await rig.ask("/v1/room", { method: "POST", body: JSON.stringify({ tasks }) })).json();
    };
    expect(await ask(1, 2, 3, 4)).toEqual({ room: [true, true, true, false] });
    for (const [key, at] of [
      ["asked-running", 1],
      ["asked-old", 20],
      ["asked-young", 40],
    ] as const)
      expect((await post(key, at)).status).toBe(202);
    expect(await ask(50)).toEqual({ room: [false] });
    expect(await ask(30, 50, 35)).toEqual({ room: [true, false, false] });
    expect(await ask()).toMatchObject({ error: "invalid_request" });
    for (const key of ["asked-running", "asked-old", "asked-young"]) await rig.worker.completed(key);
  });

  test("an account's task takes the room of another account that fills the lane", async () => {
    const post = (key: string, account: string, acceptedAt: number): Promise<Response> =>
      rig.post(rig.worker.request({ key, account, acceptedAt, prompts: ["slow"] }));
    for (const [index, key] of ["a1", "a2", "a3"].entries()) {
      expect((await post(key, "acct_a", index + 1)).status).toBe(202);
    }
    expect((await post("b1", "acct_b", 99)).status).toBe(202);
    expect(await rig.worker.completed("a3")).toEqual({ outcome: "returned" });
    const order: string[] = [];
    const keys = ["a1", "a2", "b1"];
    await Promise.all(keys.map((key) => rig.worker.completed(key).then(() => order.push(key))));
    expect(order).toEqual(keys);
  });
});

test("until the model is warm tasks are refused with 503 and Retry-After", async () => {
  await using rig = await startRig({ MODEL_FOLDER: "late" });
  const answer = await rig.post(rig.worker.request());
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  const ready = await fetch(`${rig.service.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { state: "STARTING", tasks: 0 }]);
  expect((await rig.ask("/v1/model")).status).toBe(503);
  await rig.service.ready;
  expect((await rig.finish()).outcome).toBe("success");
});

test("a draining service refuses new tasks, finishes what it has begun and hands back the rest", async () => {
  await using rig = await startRig({ IN_FLIGHT: "1" });
  for (const key of ["first", "second"]) await rig.post(rig.worker.request({ key, prompts: ["slow"] }));
  const drained = rig.service.drain();
  const answer = await rig.post(rig.worker.request());
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: "draining" }]);
  expect((await fetch(`${rig.service.url}/readyz`)).status).toBe(503);
  expect(await drained).toBe(true);
  expect(rig.worker.completions.get("first")).toMatchObject([{ outcome: "success" }]);
  expect(rig.worker.completions.get("second")).toEqual([{ outcome: "returned" }]);
});

test("a task whose body comes after the drain began is refused", async () => {
  await using rig = await startRig({ IN_FLIGHT: "1" });
  await rig.post(rig.worker.request({ key: "at-work", prompts: ["slow"] }));
  const body = JSON.stringify(rig.worker.request({ key: "late" }));
  const late = request(`${rig.service.url}/v1/tasks`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${SERVICE_TOKEN}`,
      "content-length": body.length,
      expect: "100-continue",
    },
  });
  late.flushHeaders();
  await once(late, "continue");
  const drained = rig.service.drain();
  late.end(body);
  const [answer]: IncomingMessage[] = await once(late, "response");
  expect(answer?.statusCode).toBe(503);
  expect(await drained).toBe(true);
});

test("a drain hands back the tasks that it can't finish in time", async () => {
  await using rig = await startRig({ IN_FLIGHT: "1", DRAIN_SECONDS: "0.2" });
  for (const key of ["stuck", "behind"]) await rig.post(rig.worker.request({ key, prompts: ["hang"] }));
  await until(async () => (await (await rig.ask("/v1/tasks/stuck")).text()).includes("running"));
  expect(await rig.service.drain()).toBe(false);
  for (const key of ["stuck", "behind"]) {
    expect(rig.worker.completions.get(key)).toEqual([{ outcome: "returned" }]);
  }
});
