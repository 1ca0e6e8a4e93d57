import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listWorkers, removeWorker } from "../../scripts/operate/admin/workers.ts";
import { verifyService } from "../../scripts/operate/verify/service.ts";
import { jobReports } from "../support/chaos/outcome.ts";
import { startGatewayStack, type GatewayStack } from "../support/gateway/start-gateway-stack.ts";
import {
  addedToken,
  ONE_TASK,
  type ServiceAtUrl,
  startWorkerService,
  workersOf,
} from "../support/gateway/start-services.ts";
import { LONG_LEASES } from "../support/gateway/vanishing-workers.ts";
import { sample } from "../support/media/sample.ts";
import { SMALL } from "../support/stack/verified-stack.ts";

/** Counts the tasks that a service has finished. */
async function finished({ url, token }: ServiceAtUrl): Promise<number> {
  const text = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  const counts = [...text.matchAll(/^inference_tasks_total\{[^}]*outcome="success"[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("a service at a URL, and a worker that the Worker knows only by its connection,", () => {
  let rig: GatewayStack;
  let token: string;
  let worker: ServiceAtUrl;
  const start = () => startWorkerService(rig.stack.baseUrl, rig.folder, token, ONE_TASK);
  beforeAll(async () => {
    rig = await startGatewayStack(LONG_LEASES);
    token = await addedToken(rig.api, "desk");
    worker = await start();
    await vi.waitUntil(async () => (await workersOf(rig.api))[0]?.isConnected, 60_000);
  });
  afterAll(async () => {
    await worker.child.stop(2_000);
    await rig.stop();
  });

  /** Segments pictures and returns how many of them each service did. */
  async function shares(pictures: number, request: (taskId: string) => object): Promise<number[]> {
    const { client, plain } = rig;
    const services = [plain, worker];
    const before = await Promise.all(services.map(finished));
    const tasks: string[] = [];
    for (let i = 0; i < pictures; i += 1) tasks.push(await client.upload(sample("coffee"), "image/png"));
    const { jobId } = await client.createImageJob({ tasks, prompts: ["bright"], ...request(tasks[0] ?? "") });
    const job = await client.waitForJob(jobId);
    expect(job.tasks.map(({ status, error }) => error ?? status)).toEqual(tasks.map(() => "success"));
    // A service counts a task once the Worker has taken its report.
    return await vi.waitUntil(async () => {
      const after = await Promise.all(services.map(finished));
      const done = after.map((count, i) => count - (before[i] ?? 0));
      return done.reduce((sum, count) => sum + count) >= pictures && done;
    }, 60_000);
  }

  it("describe both models as one", async () => {
    const headers = { authorization: `Bearer ${rig.stack.apiKey}` };
    const response = await fetch(`${rig.stack.baseUrl}/v1/model`, { headers });
    expect(await response.json()).toMatchObject({
      id: "plain+fixture",
      regions: { box: true, points: true, clips: true, examples: true },
    });
  });

  it("are listed: the worker with its model, device and version", async () => {
    expect(await listWorkers(rig.api)).toMatchObject({
      result: [{ name: "desk", model: expect.stringContaining("fixture"), version: "0.1.0" }],
      summary: "1 worker, 1 connected.",
    });
  });

  it("leave a task to the first while it has room", async () => {
    expect(await shares(1, () => ({}))).toEqual([1, 0]);
  });

  it("leave a region to the second pool if the first draws none", async () => {
    expect(await shares(1, (taskId) => ({ regions: [{ taskId, box: [9, 9, 90, 90] }] }))).toEqual([0, 1]);
  });

  it("share pictures of which the first has no room for all", async () => {
    const [byFirst = 0, bySecond = 0] = await shares(3, () => ({ prompts: ["slow"] }));
    expect(byFirst + bySecond).toBe(3);
    expect(Math.min(byFirst, bySecond)).toBeGreaterThan(0);
  });

  it("are verified; without the first, the second does its work", async () => {
    const { stack, state, plain, client } = rig;
    const verdicts = async () => {
      const target = { ...stack, state, form: SMALL, only: ["pool url", "pool gateway"] };
      const outcomes = await verifyService(target, new AbortController().signal);
      return outcomes.map(({ name, verdict, saw }) => `${name} ${verdict}: ${saw}`);
    };
    const worksByGateway = expect.stringMatching(/^pool gateway ok: fixture/);
    expect(await verdicts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^pool url ok: plain/), worksByGateway]),
    );
    await plain.child.stop(0);
    const isAway = expect.stringMatching(/^pool url wrong: it takes no task: /);
    expect(await verdicts()).toEqual(expect.arrayContaining([isAway, worksByGateway]));
    const before = await finished(worker);
    const taskId = await client.upload(sample("coffee"), "image/png");
    const { jobId } = await client.createImageJob({ tasks: [taskId], prompts: ["bright"] });
    expect(await client.waitForJob(jobId)).toMatchObject({ status: "success" });
    await expect.poll(() => finished(worker)).toBe(before + 1);
  });

  it("do a killed worker's tasks at their first attempt once it is back", async () => {
    const { client, stack, state, api } = rig;
    const tasks: string[] = [];
    for (let i = 0; i < 3; i += 1) tasks.push(await client.upload(sample("coffee"), "image/png"));
    const { jobId } = await client.createImageJob({ tasks, prompts: ["slow"] });
    await expect.poll(async () => (await workersOf(api))[0]?.tasks).toBeGreaterThan(0);
    await worker.child.stop(0);
    worker = await start();
    expect(await client.waitForJob(jobId)).toMatchObject({ status: "success" });
    const [report] = await jobReports(state, stack.baseUrl, [jobId]);
    expect(report?.tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  it("lose the worker once the operator removes it", async () => {
    await removeWorker(rig.api, "desk");
    await expect.poll(() => workersOf(rig.api)).toEqual([]);
  });
});
