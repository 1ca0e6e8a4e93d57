import { expect, it } from "vitest";
import { type GatewayStack, startGatewayStack } from "../support/gateway/start-gateway-stack.ts";
import { addedToken, startWorkerService } from "../support/gateway/start-services.ts";
import { LONG_LEASES, runVanishing } from "../support/gateway/vanishing-workers.ts";
import { sample } from "../support/media/sample.ts";

/** Runs a test in a stack whose tasks go to the gateway alone. */
async function withGateway(
  settings: Readonly<Record<string, string>>,
  test: (rig: GatewayStack) => Promise<void>,
): Promise<void> {
  const rig = await startGatewayStack({ INFERENCE_ORDER: "gateway", ...settings });
  try {
    await test(rig);
  } finally {
    await rig.stop();
  }
}

it("a worker goes on with its task while the Worker restarts, and gets the next one", async () => {
  await withGateway(LONG_LEASES, async (rig) => {
    const token = await addedToken(rig.api, "desk");
    const { child } = await startWorkerService(rig.stack.baseUrl, rig.folder, token, { IN_FLIGHT: "1" });
    const tasks: string[] = [];
    for (let i = 0; i < 10; i += 1) tasks.push(await rig.client.upload(sample("coffee"), "image/png"));
    const { jobId } = await rig.client.createImageJob({ tasks, prompts: ["slow"] });
    await rig.restart();
    const job = await rig.client.waitForJob(jobId);
    expect(job.tasks.map(({ status }) => status)).toEqual(tasks.map(() => "success"));
    await child.stop(2_000);
  });
});

it("tasks end once each, at their first attempt, although two workers vanish at random", async () => {
  await withGateway(LONG_LEASES, (rig) =>
    runVanishing(rig, { workers: 2, jobs: 1, tasksPerJob: 40, restarts: false }),
  );
});

it("a thousand tasks end once each at five workers that vanish at random, and the Worker restarts meanwhile", async () => {
  await withGateway({ TASK_WINDOW: "20" }, (rig) =>
    runVanishing(rig, { workers: 5, jobs: 10, tasksPerJob: 100, restarts: true }),
  );
});
