import { expect, test } from "vitest";
import { startDevices } from "../support/device-rig.ts";
import { until } from "../support/running-service.ts";

/** A device is given up after its second fault. */
const TWO_FAULTS = { DEVICE_FAULTS: "2" };

test.concurrent("a device that can't load the model at the start is given up, and the service works with the other", async () => {
  await using rig = await startDevices(2, ["broken-1"], TWO_FAULTS);
  await rig.service.ready;
  await rig.inState(1, "given_up");
  const answer = await fetch(`${rig.service.url}/readyz`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    state: "READY",
    devices: [{ state: "ready" }, { device: "1" }],
  });
  expect((await rig.finish()).outcome).toBe("success");
  const metrics = await rig.metrics();
  expect(metrics).toContain('inference_device_state{device="0",state="ready"} 1\n');
  expect(metrics).toContain('inference_device_state{device="1",state="given_up"} 1\n');
  const work = 'device="0",lane="interactive",type="image"';
  await until(async () =>
    (await rig.metrics()).includes(`inference_tasks_total{outcome="success",code="",${work}} 1\n`),
  );
  expect(await rig.metrics()).toContain(`inference_model_seconds_count{${work}} 1\n`);
  expect(rig.lines.join("")).toContain('"msg":"device_given_up"');
});

test.concurrent("no device that can load the model ends the start with the first one's reason", async () => {
  await using rig = await startDevices(2, ["broken-0", "broken-1"], TWO_FAULTS);
  await expect(rig.service.ready).rejects.toThrow(/^CUDA device 0: The model could not be loaded: ./);
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

test.concurrent("a device that fails tasks which another does is given up, though its golden picture is right", async () => {
  await using rig = await startDevices(2, [], TWO_FAULTS);
  await rig.service.ready;
  await rig.set("flaky-1");
  let given = 0;
  await until(async () => {
    given += 1;
    const reports = await Promise.all(
      [1, 2].map((n) => rig.finish({ key: `task-${given}-${n}`, prompts: ["bright"] })),
    );
    expect(reports.map(({ outcome }) => outcome)).toEqual(["success", "success"]);
    return (await rig.metrics()).includes('inference_device_state{device="1",state="given_up"} 1\n');
  });
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
