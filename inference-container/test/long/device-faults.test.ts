import { expect, test } from "vitest";
import { movingSquare } from "../support/video/moving-square.ts";
import { startDevices } from "../support/service/device-rig.ts";
import { until } from "../support/service/running-service.ts";

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

test.concurrent("a video on a device that breaks begins again on another", async () => {
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

test.concurrent("a device that dies later is restarted after growing delays and then given up for good", async () => {
  await using rig = await startDevices(2, [], { DEVICE_FAULTS: "3" });
  await rig.service.ready;
  await rig.set("broken-1");
  process.kill(rig.service.enginePid(1) ?? 0, "SIGKILL");
  await rig.inState(1, "given_up");
  const delays = rig.lines.flatMap((line) => /"restartInMs":(\d+)/.exec(line)?.[1] ?? []);
  expect(delays.map(Number)).toEqual([250, 500, 1_000]);
  expect((await rig.finish()).outcome).toBe("success");
  expect((await fetch(`${rig.service.url}/readyz`)).status).toBe(200);
});

test.concurrent("a task that fails on every device is to blame, and each device stays in service", async () => {
  await using rig = await startDevices(2);
  await rig.service.ready;
  const report = await rig.finish({ prompts: ["throw"] });
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "internal_error" } });
  // It was tried on both.
  const failures = rig.lines.filter((line) => line.includes('"msg":"engine_error"'));
  expect(new Set(failures.map((line) => /"device":"(\d)"/.exec(line)?.[1]))).toEqual(new Set(["0", "1"]));
  expect(rig.lines.join("")).not.toMatch(/device_doubted|engine_ended/);
});

test.concurrent("the only device that breaks is restarted, and its tasks succeed without a lost attempt", async () => {
  await using rig = await startDevices(1);
  await rig.service.ready;
  await rig.set("turns", "0");
  const first = rig.finish({ key: "first" });
  await until(async () => (await rig.numberIn("begun-0")) === 1);
  await rig.set("throws-0");
  const reports = [first, ...["a", "b"].map((key) => rig.finish({ key }))];
  await until(async () => (await rig.metrics()).includes('inference_engine_jobs{device="0"} 3\n'));
  await rig.set("turns", "1000");
  await until(() => rig.lines.some((line) => line.includes('"msg":"engine_ended"')));
  await rig.unset("throws-0");
  for (const { outcome } of await Promise.all(reports)) expect(outcome).toBe("success");
});

test.concurrent("a hundred finished tasks forgive a device its faults", async () => {
  await using rig = await startDevices(1, [], TWO_FAULTS);
  await rig.service.ready;
  for (const round of [1, 2]) {
    await rig.set("broken-0");
    process.kill(rig.service.enginePid() ?? 0, "SIGKILL");
    // The second restart is the one after its failed start.
    const restarts = `inference_engine_restarts_total{device="0"} ${2 * round}\n`;
    await until(async () => (await rig.metrics()).includes(restarts));
    await rig.unset("broken-0");
    await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
    for (let i = 0; i < 100; i++)
      expect((await rig.finish({ key: `${round}-${i}`, lane: "bulk" })).outcome).toBe("success");
  }
});
