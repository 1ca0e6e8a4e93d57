import { it } from "vitest";
import { startGatewayStack } from "../support/gateway/start-gateway-stack.ts";
import { runVanishing } from "../support/gateway/vanishing-workers.ts";

it("a thousand tasks end once each at five workers that vanish at random, and the Worker restarts meanwhile", async () => {
  const rig = await startGatewayStack({ TASK_WINDOW: "20" });
  try {
    await runVanishing(rig, { workers: 5, jobs: 10, tasksPerJob: 100, restarts: true });
  } finally {
    await rig.stop();
  }
});
