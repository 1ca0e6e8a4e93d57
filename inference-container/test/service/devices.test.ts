import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLong } from "../support/form.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { SERVICE_TOKEN, type Rig, startRig, until } from "../support/service/running-service.ts";

const LOADER = new URL("../support/service/device-model.ts", import.meta.url).href;
const LONG_CLIP = movingSquare(30);

let folder: string;
let rig: Rig;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "devices-"));
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Starts the service on two devices; doesn't wait for devices that `files` hold or break. */
async function start(
  files: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of files) await writeFile(join(folder, name), "");
  const environment = { EXECUTION_PROVIDER: "cuda", DEVICES: "0,1", DRAIN_SECONDS: "0.1" };
  rig = await startRig({ ...environment, MODEL_FOLDER: folder, ...more }, LOADER);
  rig.worker.inputs.set("long.mp4", LONG_CLIP);
  if (files.length === 0) await rig.service.ready;
}

const metrics = async (): Promise<string> => (await fetch(`${rig.service.url}/metrics`)).text();
const ready = (): Promise<Response> => fetch(`${rig.service.url}/readyz`);
const device = (name: string, state: string) => ({
  device: name,
  state,
  ...(state === "ready" && { provider: "cuda" }),
});

/** Waits until the devices' engines have this many tasks each. */
const haveTasks = (...tasks: readonly number[]): Promise<void> =>
  until(async () => {
    const text = await metrics();
    return tasks.every((count, id) => text.includes(`inference_engine_jobs{device="${id}"} ${count}\n`));
  });

/** Posts a picture; "hang" blocks its engine for as long as that lives. */
const post = async (key: string, prompt: string): Promise<void> => {
  expect((await rig.post(rig.worker.request({ key, prompts: [prompt] }))).status).toBe(202);
};
/** Posts a video of over a minute. */
const postClip = async (key: string): Promise<void> => {
  const inputUrl = `${rig.worker.origin}/inputs/long.mp4`;
  const request = rig.worker.videoRequest({ key, inputUrl, prompts: ["slow", "bright"] });
  expect((await rig.post(request)).status).toBe(202);
};
const stateOf = async (key: string): Promise<string> => (await rig.ask(`/v1/tasks/${key}`)).text();

test("pictures are at work on both devices at once, and none waits behind one that is busy while the other is idle", async () => {
  await start();
  await post("stuck", "hang");
  await haveTasks(1, 0);
  for (const _ of ["one", "two", "three"]) expect((await rig.finish()).outcome).toBe("success");
  await post("stuck-too", "hang");
  await haveTasks(1, 1);
  expect(rig.worker.completions.has("stuck")).toBe(false);
});

test("idle devices take turns, but a picture that comes again goes where its features are", async () => {
  await start();
  const isCached = async (key: string, name: string): Promise<boolean> => {
    await rig.finish({ key, inputUrl: `${rig.worker.origin}/inputs/${name}` });
    const lineOf = (): string | undefined => rig.lines.find((line) => line.includes(`"${key}"`));
    await until(() => lineOf() !== undefined);
    return lineOf()?.includes('"featuresCached":true') === true;
  };
  expect(await isCached("on-0", "bright.png")).toBe(false);
  expect(await isCached("on-1", "bright.jpg")).toBe(false);
  expect(await isCached("on-0-too", "bright.webp")).toBe(false);
  // In turn it would go to device 1.
  expect(await isCached("on-0-again", "bright.png")).toBe(true);
  process.kill(rig.service.enginePid(0) ?? 0, "SIGKILL");
  await until(async () => (await metrics()).includes('inference_engine_restarts_total{device="0"} 1'));
  await until(async () => !(await (await ready()).text()).includes("starting"));
  expect(await isCached("on-1-again", "bright.jpg")).toBe(true);
  expect(await isCached("on-0-anew", "bright.png")).toBe(false);
});

test("the tasks of a killed engine begin again on the other device, the video there continues, and the engine comes back", async () => {
  await start();
  await writeFile(join(folder, "keep"), "");
  await post("kept", "kept");
  await haveTasks(1, 0);
  await postClip("clip");
  await haveTasks(1, 1);
  await post("beside", "kept");
  await haveTasks(2, 1);
  await writeFile(join(folder, "hold-0"), "");
  process.kill(rig.service.enginePid(0) ?? 0, "SIGKILL");
  await until(async () => (await metrics()).includes('inference_engine_restarts_total{device="0"} 1'));
  // Each of the two may be hostile: neither runs together with a video, unlike the others.
  expect((await rig.finish()).outcome).toBe("success");
  const answer = await ready();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ devices: [device("0", "starting"), device("1", "ready")] });
  expect(await stateOf("clip")).toContain("running");
  expect([rig.worker.completions.has("kept"), rig.worker.completions.has("beside")]).toEqual([false, false]);
  await rm(join(folder, "keep"));
  await rm(join(folder, "hold-0"));
  await until(async () => !(await (await ready()).text()).includes("starting"));
  for (const key of ["kept", "beside"]) expect((await rig.worker.completed(key)).outcome).toBe("success");
  const text = await metrics();
  expect(text).toContain('inference_engine_restarts_total{device="0"} 1\n');
  expect(text).toContain('inference_engine_restarts_total{device="1"} 0\n');
});

test("as many videos run at once as there are devices, each on a separate one, and pictures pass between their frames", async () => {
  await start();
  await postClip("first");
  await haveTasks(1, 0);
  // The picture makes the other device the busier one: the video still goes there.
  await post("stuck", "slow");
  await postClip("second");
  await postClip("third");
  await rig.worker.completed("stuck");
  await haveTasks(1, 1);
  expect((await rig.finish()).outcome).toBe("success");
  expect(await stateOf("second")).toContain("running");
  expect(await stateOf("third")).toContain("queued");
  const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
  await rig.ask("/v1/tasks/first", { method: "DELETE", headers });
  await until(async () => (await stateOf("third")).includes("running"));
  await haveTasks(1, 1);
});

test.runIf(isLong)(
  "the first device that is ready takes tasks, and IN_FLIGHT counts for each device",
  async () => {
    await start(["hold-1"]);
    await until(async () => (await ready()).ok);
    expect(await (await ready()).json()).toEqual({
      state: "READY",
      tasks: 0,
      model: { id: "fixture", version: "1.0.0", provider: "cuda" },
      devices: [device("0", "ready"), device("1", "starting")],
    });
    expect((await rig.finish()).outcome).toBe("success");
    await until(async () => (await metrics()).includes("inference_in_flight 0"));
    for (const key of ["1", "2", "3", "4", "5"]) await post(key, "hang");
    expect(await (await ready()).json()).toMatchObject({ state: "READY" });
    await post("6", "hang");
    expect(await (await ready()).json()).toMatchObject({ state: "BUSY" });
    await rm(join(folder, "hold-1"));
    await rig.service.ready;
    // Tasks without a place on the first device find one on the second.
    await until(async () => !(await metrics()).includes('inference_engine_jobs{device="1"} 0'));
  },
);

test.runIf(isLong)("of the pictures that wait for room an interactive one goes first", async () => {
  await start(["hold-1"], { IN_FLIGHT: "4" });
  await until(async () => (await ready()).ok);
  for (const key of ["1", "2", "3"]) await post(key, "hang");
  await haveTasks(3, 0);
  const order: string[] = [];
  const prompts = ["slow"];
  const bulk = ["a", "b", "c", "d"].map((key) =>
    rig.finish({ key, lane: "bulk", prompts }).then(() => order.push(key)),
  );
  await until(async () => (await metrics()).includes("inference_in_flight 7"));
  const first = rig.finish({ key: "first" }).then(() => order.push("first"));
  await until(async () => (await metrics()).includes("inference_in_flight 8"));
  await rm(join(folder, "hold-1"));
  await Promise.all([...bulk, first]);
  // It is among the three that the device takes at once; two that came before it wait until one of them is done.
  expect(order.indexOf("first")).toBeLessThan(3);
});

test("after any crash, each task is reported once, and only the task that crashed its engine fails", async () => {
  await start();
  const prompts = Array.from({ length: isLong ? 16 : 8 }, (_, i) => (i % 6 === 3 ? "crash" : "bright"));
  const reports = await Promise.all(
    prompts.map(async (prompt, i) => {
      const key = `task-${i}`;
      const request = rig.worker.request({ key, prompts: [prompt], lane: i % 2 === 0 ? "bulk" : "trial" });
      // While both engines restart they take no task, and the Worker offers it again.
      await until(async () => (await rig.post(request)).status === 202);
      return rig.worker.completed(key);
    }),
  );
  expect(reports.map(({ outcome }) => outcome)).toEqual(
    prompts.map((prompt) => (prompt === "crash" ? "failed" : "success")),
  );
  for (const sent of rig.worker.completions.values()) expect(sent).toHaveLength(1);
});
