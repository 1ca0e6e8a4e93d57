import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addWorker, listWorkers, removeWorker } from "../../scripts/operate/admin/workers.ts";
import type { Child } from "../../scripts/shared/child.ts";
import { startGatewayStack, type GatewayStack } from "../support/gateway/start-gateway-stack.ts";
import { startWorkerService, workersOf } from "../support/gateway/start-services.ts";
import { LONG_LEASES, runVanishing } from "../support/gateway/vanishing-workers.ts";
import { sample } from "../support/media/sample.ts";

describe("a service that the Worker knows only by its connection", () => {
  let rig: GatewayStack;
  let service: Child;
  beforeAll(async () => {
    rig = await startGatewayStack(LONG_LEASES);
    const { result } = await addWorker(rig.api, "desk");
    const token = "token" in result ? String(result["token"]) : "";
    service = await startWorkerService(rig.stack.baseUrl, rig.folder, token);
  });
  afterAll(async () => {
    await service.stop(2_000);
    await rig.stop();
  });

  const job = async (prompts: string[]): Promise<string> => {
    const taskId = await rig.client.upload(sample("coffee"), "image/png");
    return (await rig.client.createImageJob({ tasks: [taskId], prompts })).jobId;
  };

  it("segments a picture", async () => {
    expect(await rig.client.waitForJob(await job(["bright"]))).toMatchObject({ status: "success" });
  });

  it("is listed with its model, device and version", async () => {
    expect(await listWorkers(rig.api)).toMatchObject({
      result: [{ name: "desk", model: expect.stringContaining("fixture"), version: "0.1.0" }],
      summary: "1 worker, 1 connected.",
    });
  });

  it("connects again after a restart of the Worker, and segments on", async () => {
    await rig.restart();
    expect(await rig.client.waitForJob(await job(["stripes"]))).toMatchObject({ status: "success" });
  });

  it("is disconnected once the operator removes it", async () => {
    await removeWorker(rig.api, "desk");
    await expect.poll(() => workersOf(rig.api)).toEqual([]);
  });

  it("does each task once, although two of them vanish again and again", async () => {
    await runVanishing(rig, { workers: 2, jobs: 1, tasksPerJob: 24, restarts: false });
  });
});
