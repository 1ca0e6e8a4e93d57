import { expect, test } from "vitest";
import { startDevices } from "../support/service/device-rig.ts";
import { until } from "../support/service/running-service.ts";

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
