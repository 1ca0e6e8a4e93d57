import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startWorkerSide, type WorkerSide } from "../support/service/fake-worker.ts";
import { samples } from "../support/pictures/pictures.ts";
import { until } from "../support/service/running-service.ts";

const MAIN = fileURLToPath(new URL("../support/service/fixture-main.ts", import.meta.url));

const Line = z.object({ msg: z.string(), url: z.string().optional(), reason: z.string().optional() });
type Line = z.infer<typeof Line>;

let worker: WorkerSide;
let child: ChildProcess | undefined;
beforeEach(async () => {
  worker = await startWorkerSide();
  for (const [name, bytes] of Object.entries(await samples())) worker.inputs.set(name, bytes);
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await worker.close();
});

/** Starts the service as a process; `lines` collects its log. */
function start(
  environment: Record<string, string>,
  ...args: string[]
): { lines: Line[]; ended: Promise<unknown[]> } {
  const lines: Line[] = [];
  const started = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env["PATH"],
      // The processes of a test run share their compiled code.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      PORT: "0",
      MODEL_FOLDER: "fixture",
      STORAGE_ORIGINS: worker.origin,
      CALLBACK_ORIGINS: worker.origin,
      ...environment,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  child = started;
  createInterface({ input: started.stdout }).on("line", (line) => lines.push(Line.parse(JSON.parse(line))));
  return { lines, ended: once(started, "close") };
}

async function ready(lines: Line[]): Promise<string> {
  await until(() => lines.some(({ msg }) => msg === "ready"));
  return lines.find(({ msg }) => msg === "listening")?.url ?? "";
}

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(`${url}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test.for(["SIGTERM", "SIGINT"] as const)("%s finishes what runs and exits 0", async (signal) => {
  const { lines, ended } = start({});
  const url = await ready(lines);
  expect((await post(url, worker.request({ key: "last", prompts: ["slow"] }))).status).toBe(202);
  child?.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(worker.completions.get("last")?.[0]?.outcome).toBe("success");
});

test("SIGTERM hands back at once what has not begun, and then finishes what is at work", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hand-back-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "keep"), "");
  const { lines, ended } = start({ MODEL_FOLDER: folder, DRAIN_SECONDS: "3600" }, "device-model.ts");
  const url = await ready(lines);
  const atWork = ["1", "2", "3"];
  const waiting = ["4", "5", "6", "7", "8"];
  for (const [i, key] of [...atWork, ...waiting].entries())
    expect((await post(url, worker.request({ key, acceptedAt: i + 1, prompts: ["kept"] }))).status).toBe(202);
  child?.kill("SIGTERM");
  await Promise.all(waiting.map((key) => worker.completed(key)));
  for (const key of atWork) expect(worker.completions.has(key)).toBe(false);
  await rm(join(folder, "keep"));
  expect(await ended).toEqual([0, null]);
  const outcomes = (key: string) => worker.completions.get(key)?.map(({ outcome }) => outcome);
  expect(atWork.map(outcomes)).toEqual(atWork.map(() => ["success"]));
  expect(waiting.map(outcomes)).toEqual(waiting.map(() => ["returned"]));
});

test("a second signal ends the service at once", async () => {
  const { lines, ended } = start({});
  const url = await ready(lines);
  await post(url, worker.request({ prompts: ["hang"] }));
  child?.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  child?.kill("SIGTERM");
  expect(await ended).toEqual([1, null]);
});

test.for([
  ["idle", undefined],
  ["stuck", "block"],
] as const)("an engine that is %s ends with its parent, even where that was killed", async ([, prompt]) => {
  const { lines, ended } = start({});
  const url = await ready(lines);
  if (prompt !== undefined) await post(url, worker.request({ prompts: [prompt] }));
  const engine = await enginesOf(child?.pid ?? 0);
  expect(engine).toHaveLength(1);
  child?.kill("SIGKILL");
  await ended;
  await until(() => !isAlive(engine[0] ?? 0));
});

test("wrong settings end the start with their names", async () => {
  const { lines, ended } = start({ MODEL_FOLDER: "", HOST: "0.0.0.0" });
  expect(await ended).toEqual([2, null]);
  expect(lines[0]?.msg).toBe("settings_wrong");
  expect(lines[0]?.reason).toContain("MODEL_FOLDER: is missing");
});

test("a model that can't be loaded ends the start with its reason", async () => {
  const { lines, ended } = start({ MODEL_FOLDER: "broken" });
  expect(await ended).toEqual([1, null]);
  expect(lines.at(-1)?.msg).toBe("start_failed");
  expect(lines.at(-1)?.reason).toContain("manifest.json");
});

test("the death of the last device ends the service with an error code, and its task goes back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "last-device-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { lines, ended } = start({ MODEL_FOLDER: folder, DEVICE_FAULTS: "2" }, "device-model.ts");
  const url = await ready(lines);
  await writeFile(join(folder, "keep"), "");
  for (const key of ["one", "two"]) await post(url, worker.request({ key, prompts: ["kept"] }));
  await until(async () => (await (await fetch(`${url}/metrics`)).text()).includes('jobs{device="cpu"} 2'));
  await writeFile(join(folder, "broken-0"), "");
  for (const pid of await enginesOf(child?.pid ?? 0)) process.kill(pid, "SIGKILL");
  expect(await ended).toEqual([1, null]);
  expect(lines.at(-1)).toMatchObject({ msg: "devices_lost" });
  for (const key of ["one", "two"])
    expect(worker.completions.get(key)?.map(({ outcome }) => outcome)).toEqual(["returned"]);
});

async function enginesOf(pid: number): Promise<number[]> {
  const listing = spawn("ps", ["-o", "pid=", "--ppid", String(pid)], { stdio: ["ignore", "pipe", "ignore"] });
  const pids: number[] = [];
  for await (const line of createInterface({ input: listing.stdout })) pids.push(Number(line));
  return pids;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
