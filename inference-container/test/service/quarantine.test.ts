import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  bystanders,
  CRASHED,
  ends,
  inFlight,
  metrics,
  outcomes,
  slowly,
  TWELVE,
} from "../support/service/bystanders.ts";
import { type Rig, startRig, until } from "../support/service/running-service.ts";
import { isLong } from "../support/form.ts";

const DEVICE_MODEL = new URL("../support/service/device-model.ts", import.meta.url).href;

/** Starts two devices whose model can be held; resolves to the service and the folder with the files that hold it. */
async function startTwo(): Promise<{ rig: Rig; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "quarantine-"));
  const environment = { EXECUTION_PROVIDER: "cuda", DEVICES: "0,1", MAX_BATCH: "1", IN_FLIGHT: "6" };
  const rig = await startRig({ ...environment, MODEL_FOLDER: folder, DRAIN_SECONDS: "0.1" }, DEVICE_MODEL);
  await rig.service.ready;
  onTestFinished(async () => {
    await rig[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { rig, folder };
}
const haveTasks = (rig: Rig, ...tasks: readonly number[]): Promise<void> =>
  until(async () => {
    const text = await metrics(rig);
    return tasks.every((count, id) => text.includes(`inference_engine_jobs{device="${id}"} ${count}\n`));
  });

// Most of their time is a held picture's, so the tests run in parallel.
test.concurrent("of a hostile picture and ten bystanders on one device only the hostile one fails, though others have the device when it ends the engine", async () => {
  await using rig = await startRig(TWELVE);
  const before = slowly(rig, bystanders.slice(0, 4));
  await inFlight(rig, 4);
  const hostile = rig.finish({ key: "hostile", prompts: ["collapse"] });
  await inFlight(rig, 5);
  const after = slowly(rig, bystanders.slice(4));
  expect(await hostile).toMatchObject(CRASHED);
  await Promise.all([...before, ...after]);
  expect(outcomes(rig, bystanders)).toEqual(bystanders.map(() => ["success"]));
  expect(outcomes(rig, ["hostile"])).toEqual([["failed"]]);
  // Once among others, and once alone.
  expect(await ends(rig)).toBe(2);
});

test("while one device runs what may be hostile, the other continues with everything else", async () => {
  const { rig, folder } = await startTwo();
  await writeFile(join(folder, "keep"), "");
  const kept = ["a", "b"].map((key) => rig.finish({ key, prompts: ["kept"] }));
  await haveTasks(rig, 1, 1);
  kept.push(rig.finish({ key: "c", prompts: ["kept"] }), rig.finish({ key: "d", prompts: ["kept"] }));
  await haveTasks(rig, 2, 2);
  process.kill(rig.service.enginePid(0) ?? 0, "SIGKILL");
  // The first of the two is alone on its device while it is held; others pass it.
  await until(async () => (await metrics(rig)).includes('restarts_total{device="0"} 1'));
  await haveTasks(rig, 1, 2);
  await rm(join(folder, "keep"));
  await Promise.all(kept);
  expect(outcomes(rig, ["a", "b", "c", "d"]).flat()).toEqual(["success", "success", "success", "success"]);
});

test.runIf(isLong)(
  "a suspect task runs on another device once that is empty, if its own does not come back",
  async () => {
    const { rig, folder } = await startTwo();
    await writeFile(join(folder, "keep"), "");
    const kept = [rig.finish({ key: "a", prompts: ["kept"] })];
    await haveTasks(rig, 1, 0);
    kept.push(rig.finish({ key: "b", prompts: ["kept"] }));
    await haveTasks(rig, 1, 1);
    kept.push(rig.finish({ key: "c", prompts: ["kept"] }));
    // It is the picture that the second device had last.
    await haveTasks(rig, 1, 2);
    await writeFile(join(folder, "hold-1"), "");
    process.kill(rig.service.enginePid(1) ?? 0, "SIGKILL");
    await until(async () => (await metrics(rig)).includes('restarts_total{device="1"} 1'));
    await rm(join(folder, "keep"));
    await Promise.all(kept);
    expect(outcomes(rig, ["a", "b", "c"]).flat()).toEqual(["success", "success", "success"]);
  },
);

test("a task that waits to run alone is handed back when the service stops, and keeps its attempt", async () => {
  const { rig, folder } = await startTwo();
  await writeFile(join(folder, "keep"), "");
  const keys = ["a", "b", "c", "d", "e"];
  for (const key of keys) await rig.post(rig.worker.request({ key, prompts: ["kept"] }));
  await haveTasks(rig, 3, 2);
  for (const id of [0, 1]) {
    await writeFile(join(folder, `hold-${id}`), "");
    process.kill(rig.service.enginePid(id) ?? 0, "SIGKILL");
    await until(async () => (await metrics(rig)).includes(`restarts_total{device="${id}"} 1`));
  }
  expect(await rig.service.drain()).toBe(false);
  expect(outcomes(rig, keys)).toEqual(keys.map(() => ["returned"]));
});
