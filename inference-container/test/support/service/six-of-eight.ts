import { expect } from "vitest";
import { startDevices } from "./device-rig.ts";
import { until } from "./running-service.ts";

const HEALTHY = [0, 1, 2, 3, 4, 5];
const TURNS = 6;
const TASKS = 72;

/** The fault of device 7 during its work, and its final state. */
export interface Fault {
  readonly breaks: "throws" | "hangs";
  readonly ends: "given_up" | "starting" | "ready";
}

/** Of eight devices one is broken from the start and one breaks while it works: no task fails, and the six others lose no turn. */
export async function workOnSixOfEight({ breaks, ends }: Fault): Promise<void> {
  await using rig = await startDevices(8, ["broken-6"], {
    // A device that recovers must not be given up before.
    DEVICE_FAULTS: ends === "ready" ? "100" : "3",
    QUEUE_CAPACITY: String(TASKS),
    ...(breaks === "hangs" && { TASK_TIMEOUT_SECONDS: "15" }),
  });
  await rig.service.ready;
  for (const device of [...HEALTHY, 7]) await rig.inState(device, "ready");
  await rig.set("turns", "0");
  const reports = Array.from({ length: TASKS }, (_, i) => rig.finish({ key: `task-${i}`, lane: "bulk" }));
  // A turn ends once each healthy device has begun its next run: until then no device idles for lack of work.
  const begun = (device: number): Promise<number> => rig.numberIn(`begun-${device}`);
  for (let turn = 1; turn <= TURNS; turn++) {
    for (const device of HEALTHY) await until(async () => (await begun(device)) >= turn);
    if (turn === 2) {
      await until(async () => (await begun(7)) >= turn);
      await rig.set(`${breaks}-7`);
    }
    await rig.set("turns", String(turn));
  }
  // Six of eight devices did the work of six devices in these turns.
  const done = await Promise.all(HEALTHY.map(begun));
  expect(Math.min(...done)).toBeGreaterThanOrEqual(TURNS);
  if (ends === "ready") {
    await until(() => rig.lines.some((line) => line.includes('"msg":"engine_ended"')));
    await rig.unset("throws-7");
  }
  await rig.set("turns", "1000");
  for (const { outcome } of await Promise.all(reports)) expect(outcome).toBe("success");
  await rig.inState(6, ends === "ready" ? "starting" : "given_up");
  await rig.inState(7, ends);
  expect((await fetch(`${rig.service.url}/readyz`)).status).toBe(200);
  const metrics = await rig.metrics();
  expect(metrics).toContain(`inference_device_state{device="7",state="${ends}"} 1\n`);
  expect(metrics).toMatch(/inference_device_state\{device="6",state="(given_up|starting)"\} 1\n/);
}
