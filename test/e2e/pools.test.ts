import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiClient, createClient } from "../../scripts/shared/api-client.ts";
import type { Child } from "../../scripts/shared/child.ts";
import { claimPort } from "../../scripts/shared/port.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { startInference, waitForModel } from "../../scripts/local/stack/services.ts";
import { type Stack, startStack } from "../../scripts/local/stack/start-stack.ts";
import { giveMigratedData } from "../support/stack/migrated-data.ts";
import { sample } from "../support/media/sample.ts";

const { signal } = new AbortController();
const TOKEN = randomBytes(24).toString("hex");
const SERVICES = "inference-container/test/support/service";

interface Service {
  readonly url: string;
  readonly child: Child;
}

/** Counts the tasks that a service has finished. */
async function finished({ url }: Service): Promise<number> {
  const text = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).text();
  const counts = [...text.matchAll(/^inference_tasks_total\{[^}]*outcome="success"[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("two inference services in order", () => {
  let folder: string;
  let stack: Stack;
  let client: ApiClient;
  let first: Service;
  let second: Service;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pools-"));
    const stateDir = join(folder, "state");
    const state = stateFolder(stateDir);
    await mkdir(state.path, { recursive: true });
    await giveMigratedData(state);
    const port = await claimPort(0);
    const ready: Promise<void>[] = [];
    const start = async (name: string): Promise<Service> => {
      const logs = join(folder, name);
      await mkdir(logs);
      const service = await startInference({
        token: TOKEN,
        modelFolder: name,
        main: `${SERVICES}/${name}-main.ts`,
        origin: `http://127.0.0.1:${port}`,
        mark: { POOLS_TEST: randomUUID() },
        logs,
        settings: { QUEUE_CAPACITY: "1", IN_FLIGHT: "1" },
        onLine: () => undefined,
        signal,
      });
      ready.push(waitForModel(service.child, service.url, signal));
      return service;
    };
    [first, second] = await Promise.all([start("plain"), start("fixture")]);
    stack = await startStack({
      port,
      stateDir,
      settings: {
        INFERENCE_URL: first.url,
        INFERENCE_TOKEN: TOKEN,
        SECOND_INFERENCE_URL: second.url,
        RESEND_SECONDS: "5",
      },
      mains: { worker: "test/support/pools/worker/main.ts" },
      onProgress: () => undefined,
      signal,
    });
    await Promise.all(ready);
    client = createClient(stack);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([first, second].map(({ child }) => child.stop(2_000)));
    await rm(folder, { recursive: true });
  });

  /** Segments pictures and returns how many of them each service did. */
  async function shares(pictures: number, request: (taskId: string) => object): Promise<number[]> {
    const before = await Promise.all([first, second].map(finished));
    const tasks: string[] = [];
    for (let i = 0; i < pictures; i += 1) tasks.push(await client.upload(sample("coffee"), "image/png"));
    const { jobId } = await client.createImageJob({ tasks, prompts: ["bright"], ...request(tasks[0] ?? "") });
    const job = await client.waitForJob(jobId);
    expect(job.tasks.map(({ status, error }) => error ?? status)).toEqual(tasks.map(() => "success"));
    // A service counts a task once the Worker has taken its report.
    return await vi.waitUntil(async () => {
      const after = await Promise.all([first, second].map(finished));
      const done = after.map((count, i) => count - (before[i] ?? 0));
      return done.reduce((sum, count) => sum + count) >= pictures && done;
    }, 60_000);
  }

  it("describe both models as one", async () => {
    const headers = { authorization: `Bearer ${stack.apiKey}` };
    const response = await fetch(`${stack.baseUrl}/v1/model`, { headers });
    expect(await response.json()).toMatchObject({
      id: "plain+fixture",
      regions: { box: true, points: true, clips: true, examples: true },
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

  it("lose no task when the first is away", async () => {
    await first.child.stop(0);
    const before = await finished(second);
    const taskId = await client.upload(sample("coffee"), "image/png");
    const { jobId } = await client.createImageJob({ tasks: [taskId], prompts: ["bright"] });
    expect(await client.waitForJob(jobId)).toMatchObject({ status: "success" });
    await expect.poll(() => finished(second)).toBe(before + 1);
  });
});
