import { afterAll, beforeAll, expect, test } from "vitest";
import { type Rig, SERVICE_TOKEN, startRig, until } from "../support/service/running-service.ts";

const bearer = { authorization: `Bearer ${SERVICE_TOKEN}` };

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ HEARTBEAT_SECONDS: "0.1", IN_FLIGHT: "1" });
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Waits until the service logs this about a task. */
const logged = (msg: string, key: string): Promise<void> =>
  until(() => rig.lines.some((line) => line.includes(msg) && line.includes(`"${key}"`)));

test("progress is reported from acceptance to the end, while waiting too", async () => {
  const running = rig.finish({ key: "running", prompts: ["slow"] });
  const waiting = rig.finish({ key: "waiting", prompts: ["slow"] });
  await running;
  expect(rig.worker.progress.get("running")).toContainEqual({ done: 0, total: 1 });
  expect(rig.worker.progress.get("waiting")).toContainEqual({ done: 0, total: 1 });
  await waiting;
  await until(async () => (await (await rig.ask("/v1/tasks/waiting")).text()).includes("done"));
  const after = rig.worker.progress.get("waiting")?.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(rig.worker.progress.get("waiting")).toHaveLength(after ?? 0);
});

test("a task whose lease is lost is dropped without a report", async () => {
  rig.worker.lost.add("lost");
  await rig.post(rig.worker.request({ key: "lost", prompts: ["slow"] }));
  await logged('"lease_lost"', "lost");
  expect(rig.worker.completions.has("lost")).toBe(false);
  expect((await rig.finish()).outcome).toBe("success");
});

test("a completion that comes too late is dropped", async () => {
  rig.worker.failNext("complete", 409);
  await rig.post(rig.worker.request({ key: "late" }));
  await logged('"lease_lost"', "late");
  expect(rig.worker.completions.has("late")).toBe(false);
});

test("a completion is repeated until the Worker takes it", async () => {
  rig.worker.failNext("complete", 503, 500);
  expect((await rig.finish({ key: "stubborn" })).outcome).toBe("success");
  expect(rig.worker.completions.get("stubborn")).toHaveLength(1);
});

test.for(["outputs", "complete"])(
  "a report that the Worker can't read fails the task at once, by name: %s",
  async (route) => {
    rig.worker.failNext(route, 400);
    const key = `unreadable-${route}`;
    const { outcome, ...rest } = await rig.finish({ key });
    expect(outcome).toBe("failed");
    expect(rest).toMatchObject({ problem: { code: "report_refused" }, retryable: false });
    await logged('"code":"report_refused"', key);
  },
);

test.for([
  ["runs", "slow", 0],
  ["waits", "bright", 1],
] as const)("a task that %s is stopped by DELETE without a report", async ([how, prompt, ahead]) => {
  const key = `unwanted-${how}`;
  for (let i = 0; i < ahead; i++) {
    await rig.post(rig.worker.request({ key: `ahead-${i}`, prompts: ["slow"] }));
  }
  await rig.post(rig.worker.request({ key, prompts: [prompt] }));
  const answer = await rig.ask(`/v1/tasks/${key}`, { method: "DELETE", headers: bearer });
  expect(answer.status).toBe(204);
  await until(async () => (await (await rig.ask(`/v1/tasks/${key}`)).text()).includes("done"));
  expect((await rig.finish()).outcome).toBe("success");
  expect(rig.worker.completions.has(key)).toBe(false);
  await logged('"code":"cancelled"', key);
});

test("a task whose DELETE comes before its POST is refused and never runs; its next lease is another task", async () => {
  const overtaken = rig.worker.request({ key: "job.task.1" });
  expect((await rig.ask("/v1/tasks/job.task.1", { method: "DELETE", headers: bearer })).status).toBe(204);
  const answer = await rig.post(overtaken);
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: "cancelled" }]);
  expect((await rig.ask("/v1/tasks/job.task.1")).status).toBe(404);
  expect((await rig.finish({ key: "job.task.2" })).outcome).toBe("success");
  expect(rig.worker.completions.has("job.task.1")).toBe(false);
});

// The last test: its engine hangs, and later tasks would wait.
test("a lease that runs out unheard ends the task", async () => {
  rig.worker.failNext("progress", ...Array.from({ length: 50 }, () => 500));
  await rig.post(rig.worker.request({ key: "mute", prompts: ["hang"], deadline: Date.now() + 400 }));
  await logged('"lease_lost"', "mute");
  expect(rig.worker.completions.has("mute")).toBe(false);
});
