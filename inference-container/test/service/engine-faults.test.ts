import { expect, test } from "vitest";
import { startRig, until } from "../support/service/running-service.ts";

test.concurrent("a crash of the engine fails its task as retryable, and the next one succeeds", async () => {
  await using rig = await startRig();
  expect(await rig.finish({ prompts: ["crash"] })).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "engine_crashed" },
  });
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  expect((await rig.finish()).outcome).toBe("success");
  const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
  expect(metrics).toContain('inference_engine_restarts_total{device="cpu"} 1');
});

test.concurrent("a task that hangs is stopped in time, and those behind it still succeed", async () => {
  await using rig = await startRig({ TASK_TIMEOUT_SECONDS: "4" });
  const stuck = rig.finish({ key: "stuck", prompts: ["hang"] });
  const behind = ["one", "two"].map((key) => rig.finish({ key }));
  expect(await stuck).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "engine_timeout" },
  });
  for (const report of await Promise.all(behind)) expect(report.outcome).toBe("success");
});

test.concurrent("a graph that fails is a retryable failure, explained in the log and not to the client", async () => {
  await using rig = await startRig();
  const report = await rig.finish({ prompts: ["throw"] });
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "internal_error" } });
  expect(JSON.stringify(report)).not.toContain("a graph failed");
  expect(rig.lines.join("")).toContain("a graph failed");
});
