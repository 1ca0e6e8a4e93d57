import { expect, test } from "vitest";
import { startRig, until } from "../support/running-service.ts";

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

test.concurrent("an engine that is killed from outside comes back", async () => {
  await using rig = await startRig();
  const report = rig.finish({ prompts: ["slow"] });
  const pid = rig.service.enginePid() ?? 0;
  await until(async () => (await (await fetch(`${rig.service.url}/metrics`)).text()).includes("in_flight 1"));
  process.kill(pid, "SIGKILL");
  // It fails only if it had the device: one that was still on its way there begins again.
  expect(await report).toSatisfy(({ outcome, retryable }) => outcome === "success" || retryable === true);
  await until(() => rig.service.enginePid() !== undefined && rig.service.enginePid() !== pid);
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  expect((await rig.finish()).outcome).toBe("success");
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

test.concurrent("a task that only stands beside a stuck one is not blamed, whichever came first", async () => {
  await using rig = await startRig({ TASK_TIMEOUT_SECONDS: "2" });
  const reports = await Promise.all(
    ["first", "stuck", "last"].map((key) =>
      rig.finish({ key, prompts: [key === "stuck" ? "hang" : "slow"] }),
    ),
  );
  expect(reports.map(({ outcome }) => outcome)).toEqual(["success", "failed", "success"]);
});

test.concurrent("a task that holds the engine's own thread is stopped in time, and the next one is served", async () => {
  await using rig = await startRig({ TASK_TIMEOUT_SECONDS: "2" });
  expect(await rig.finish({ prompts: ["block"] })).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "engine_timeout" },
  });
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  expect((await rig.finish()).outcome).toBe("success");
});

test.concurrent("a graph that fails is a retryable failure, explained in the log and not to the client", async () => {
  await using rig = await startRig();
  const report = await rig.finish({ prompts: ["throw"] });
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "internal_error" } });
  expect(JSON.stringify(report)).not.toContain("a graph failed");
  expect(rig.lines.join("")).toContain("a graph failed");
});

test.concurrent("a model that can't be loaded ends the start with its reason", async () => {
  await using rig = await startRig({ MODEL_FOLDER: "broken" });
  await expect(rig.service.ready).rejects.toThrow("manifest.json is missing in the model folder.");
});
