/** The engine process: loads the model, then decodes, infers and encodes what its parent sends. */
import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { messageOf } from "../errors.ts";
import type { loadModel } from "../models/load.ts";
import type { Model } from "../models/model.ts";
import { Usage } from "../device/usage.ts";
import { asTaskFailure, mayBeDevices, ModelUnavailable, TaskDropped, TaskFailure } from "../failures.ts";
import {
  EngineConfig,
  type EngineResult,
  type EngineTask,
  type FromEngine,
  type TaskHooks,
  ToEngine,
} from "../messages.ts";
import { killGroup } from "../kill-group.ts";
import { infoOf, type Loaded, loadOnProvider } from "./load-on-provider.ts";
import { BEAT_MS } from "../supervisor/watchdog.ts";
import { Semaphore } from "../semaphore.ts";
import { runPicture } from "./run-picture.ts";
import { runVideo } from "./run-video.ts";

/** A module that loads models: `../models/load.ts` or a replacement. */
interface Loader {
  readonly loadModel: typeof loadModel;
}

function isLoader(module: unknown): module is Loader {
  return typeof module === "object" && module !== null && "loadModel" in module;
}

const config = EngineConfig.parse(JSON.parse(process.argv[2] ?? "{}"));
const serverToken = process.env["MODEL_SERVER_TOKEN"] || undefined;
// No process that the engine starts needs it.
delete process.env["MODEL_SERVER_TOKEN"];
const running = new Map<string, AbortController>();
const decoded = new Semaphore(config.decodedBytes);

// A terminal's Ctrl-C reaches the whole process group; the parent decides when to end.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
// The parent is gone. Native threads may be inside a graph, and only a kill ends those at once.
process.on("disconnect", () => killGroup(process.pid));
new Worker(new URL("watch-parent.ts", import.meta.url), { workerData: process.ppid }).unref();

function send(message: FromEngine): void {
  if (process.connected) process.send?.(message);
}

/** Sends a last message, then lets the process end. */
function sendLast(message: FromEngine): void {
  process.removeAllListeners("disconnect");
  process.send?.(message, undefined, undefined, () => process.disconnect());
}

/** The configuration with the secret, which must not be in the process's arguments. */
function withToken({ options, ...rest }: EngineConfig) {
  return { ...rest, options: { ...options, ...(serverToken !== undefined && { serverToken }) } };
}

async function load(): Promise<Loaded | undefined> {
  try {
    const loader: unknown = await import(config.loader);
    if (!isLoader(loader)) throw new Error(`${config.loader} does not export loadModel.`);
    return await loadOnProvider(loader.loadModel, withToken(config));
  } catch (error) {
    sendLast({ type: "unloadable", message: messageOf(error) });
    return undefined;
  }
}

/** Log detail of a failure besides its code: the stack of an unexpected error, or FFmpeg's output. */
function detailOf(error: unknown): string | undefined {
  if (error instanceof TaskDropped) return undefined;
  if (error instanceof TaskFailure) return typeof error.cause === "string" ? error.cause : undefined;
  return error instanceof Error ? (error.stack ?? "") : String(error);
}

function work(model: Model, task: EngineTask, hooks: TaskHooks): Promise<EngineResult> {
  return task.type === "image"
    ? runPicture(model, task, hooks, decoded)
    : runVideo(model, config.ffmpeg, task, hooks);
}

/** The device test in progress; one test serves all callers. */
let deviceTest: Promise<void> | undefined;

/** Tests the device with the golden picture, as work of a task that failed. @returns false if it does not work */
async function isDeviceWell(
  model: Model,
  { key }: EngineTask,
  at: TaskHooks["at"],
  detail?: string,
): Promise<boolean> {
  const isFirst = deviceTest === undefined;
  deviceTest ??= model.selfTest?.(new Usage(undefined, at));
  try {
    await deviceTest;
    deviceTest = undefined;
    return true;
  } catch (error) {
    // The failure names the first task; the others learn it from the engine's end.
    const reason = messageOf(error);
    if (isFirst) send({ type: "unwell", key, reason, ...(detail !== undefined && { detail }) });
    return false;
  }
}

async function run(model: Model, task: EngineTask): Promise<void> {
  const controller = new AbortController();
  // Each run on the device adds a listener, and there may be one run per prompt.
  setMaxListeners(0, controller.signal);
  running.set(task.key, controller);
  const at: TaskHooks["at"] = (stage) => send({ type: "at", key: task.key, stage });
  try {
    const result = await work(model, task, {
      at,
      progress: (done, total) => send({ type: "progress", key: task.key, done, total }),
      signal: controller.signal,
    });
    send({ type: "done", key: task.key, result });
  } catch (error) {
    if (error instanceof ModelUnavailable) {
      send({ type: "refused", key: task.key, reason: error.message });
      return;
    }
    const failure = asTaskFailure(error);
    const detail = detailOf(error);
    if (!controller.signal.aborted && mayBeDevices(failure) && !(await isDeviceWell(model, task, at, detail)))
      return;
    send({
      type: "failed",
      key: task.key,
      problem: failure.problem,
      ...(detail !== undefined && { detail }),
    });
  } finally {
    running.delete(task.key);
    // Files that can't be removed now are removed with the service's folder.
    if (controller.signal.aborted)
      await rm(task.folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const loaded = await load();
if (loaded !== undefined) {
  const { model, fallback } = loaded;
  const { concurrency } = model;
  process.on("message", (raw) => {
    const message = ToEngine.parse(raw);
    if (message.type === "run") void run(model, message.task);
    else if (message.type === "drop") running.get(message.key)?.abort(new TaskDropped("cancelled"));
    else void model.close().then(() => process.exit(0));
  });
  model.watch?.((problem) => send({ type: "able", problem: problem ?? null }));
  setInterval(() => {
    if (running.size > 0) send({ type: "beat" });
  }, BEAT_MS).unref();
  send({
    type: "ready",
    concurrency,
    model: { ...infoOf(model), ...(fallback !== undefined && { fallback }) },
  });
}
