import { expect, test } from "vitest";
import { startRig, until } from "../support/service/running-service.ts";

test.concurrent("an engine that is killed from outside comes back", async () => {
  await using rig = await startRig();
  const report = rig.finish({ prompts: ["slow"] });
  const pid = rig.service.enginePid() ?? 0;
  await until(async () => (await (await fetch(`${rig.service.url}/metrics`)).text()).includes("in_flight 1"));
  process.kill(pid, "SIGKILL");
  // It fails only if it had the device; otherwise it begins again.
  expect(await report).toSatisfy(({ outcome, retryable }) => outcome === "success" || retryable === true);
  await until(() => rig.service.enginePid() !== undefined && rig.service.enginePid() !== pid);
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  expect((await rig.finish()).outcome).toBe("success");
});

test.concurrent("a task in the same engine as a stuck one is not blamed, whichever came first", async () => {
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
