import { expect, test } from "vitest";
import { movingSquare } from "../../inference-container/test/support/moving-square.ts";
import { startDevices } from "../../inference-container/test/support/device-rig.ts";
import { until } from "../../inference-container/test/support/running-service.ts";

/** A device is given up after its second fault. */
const TWO_FAULTS = { DEVICE_FAULTS: "2" };

test.concurrent("a device that can load the model only later is used from then on", async () => {
  await using rig = await startDevices(2, ["broken-1"]);
  await rig.service.ready;
  await until(async () => (await rig.metrics()).includes('inference_engine_restarts_total{device="1"} 1'));
  await rig.unset("broken-1");
  await rig.inState(1, "ready");
});

test.concurrent("a device whose start hangs is stopped and counts as one that can't start", async () => {
  await using rig = await startDevices(2, ["hangs-1"], {
    DEVICE_FAULTS: "1",
    TASK_TIMEOUT_SECONDS: "5",
    MODEL_SERVER_PATIENCE_SECONDS: "0",
  });
  await rig.service.ready;
  expect((await rig.finish()).outcome).toBe("success");
  await rig.inState(1, "given_up");
});

test.concurrent("once no device is left the tasks go back without a lost attempt, and the service ends", async () => {
  await using rig = await startDevices(2, [], TWO_FAULTS);
  await rig.service.ready;
  await rig.set("keep");
  const kept = ["a", "b", "c", "d"].map((key) => rig.finish({ key, prompts: ["kept"] }));
  await until(async () => (await rig.metrics()).includes("inference_in_flight 4\n"));
  for (const device of [0, 1]) await rig.set(`broken-${device}`);
  for (const device of [0, 1]) process.kill(rig.service.enginePid(device) ?? 0, "SIGKILL");
  await expect(rig.service.lost).rejects.toThrow("Every device was given up");
  for (const { outcome } of await Promise.all(kept)) expect(outcome).toBe("returned");
});

test.concurrent("a picture that breaks one device after the other fails, and both are well after a restart", async () => {
  await using rig = await startDevices(3);
  await rig.service.ready;
  const others = ["a", "b"].map((key) => rig.finish({ key, prompts: ["slow"] }));
  const report = await rig.finish({ key: "poison", prompts: ["poison"] });
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "internal_error" } });
  for (const { outcome } of await Promise.all(others)) expect(outcome).toBe("success");
  for (const device of [0, 1, 2]) await rig.inState(device, "ready");
  expect(rig.lines.filter((line) => line.includes("device_unwell"))).toHaveLength(2);
  expect(rig.lines.join("")).not.toContain("device_doubted");
});

test.concurrent("a clip on a device that breaks begins again on another", async () => {
  await using rig = await startDevices(2);
  await rig.service.ready;
  rig.worker.inputs.set("clip.mp4", movingSquare(1));
  await rig.set("keep");
  const clip = rig.finishVideo({ key: "clip", prompts: ["kept"] });
  await until(async () => (await rig.metrics()).includes('inference_engine_jobs{device="0"} 1\n'));
  await rig.set("throws-0");
  await rig.unset("keep");
  expect((await clip).outcome).toBe("success");
  expect(rig.worker.completions.get("clip")).toHaveLength(1);
  expect(rig.lines.filter((line) => line.includes("device_unwell"))).toHaveLength(1);
});
