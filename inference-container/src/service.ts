import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createAdaptorServer } from "@hono/node-server";
import type { Logger } from "pino";
import packageFile from "../package.json" with { type: "json" };
import { hasCode, messageOf } from "./errors.ts";
import { Engines } from "./supervisor/engines.ts";
import { type GatewayHello, PROTOCOL } from "@segmentation/protocol";
import { GatewayConnection } from "./gateway/connection.ts";
import { createApp, describeModel, type ServiceState } from "./http/app.ts";
import type { ModelInfo } from "./messages.ts";
import { Metrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";
import { findFfmpeg } from "./video/ffmpeg.ts";
import { TaskRegistry } from "./tasks/task-registry.ts";
import { DecoderUpload } from "./tasks/put-decoder.ts";
import type { Task } from "./tasks/task.ts";
import { runTask } from "./tasks/run-task.ts";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Longer than clients and load balancers keep an idle connection, because this side must not be the first to close it. */
const KEEP_ALIVE_MS = 75_000;

/**
 * The time that it waits beyond the announced one: a busy client notices late that the time is over, and would use the
 * connection once more.
 */
const KEEP_ALIVE_BUFFER_MS = 15_000;

/** A running service. */
export interface Service {
  readonly url: string;
  /**
   * Resolves when the model is warm on every device on which it could be loaded; tasks are accepted once it is warm on
   * one.
   * @throws Error if it can't be loaded on any
   */
  readonly ready: Promise<void>;
  /** Rejects once every device has been given up. The service then hands all tasks back, and can only be drained. */
  readonly lost: Promise<never>;
  /** The process id of a device's engine while it runs; `index` counts the devices in the settings' order. */
  enginePid(index?: number): number | undefined;
  /**
   * Refuses new tasks, hands back those that have not begun, finishes the others and closes; hands back tasks not
   * finished in time too.
   * @returns true if all that had begun were finished
   */
  drain(): Promise<boolean>;
}

/** Resolves once the service listens; the model is still loading. @param loader URL of the module that exports `loadModel` */
export async function startService(settings: Settings, loader: string, log: Logger): Promise<Service> {
  const metrics = new Metrics();
  const folder = await makeScratch();
  const { modelFolder, modelOptions, devices, cpuFallback, decodedBytes, storageOrigins, patienceMs } =
    settings;
  const ffmpeg = ffmpegOf(log);
  const config = { loader, modelFolder, ffmpeg, cpuFallback, decodedBytes, options: modelOptions };
  const engines = new Engines(config, devices, settings, log, metrics);
  const parts = { engines, folder, storageOrigins, patienceMs, log, metrics };
  const inFlight = (): number =>
    settings.inFlight === undefined ? engines.places : settings.inFlight * engines.inService;
  const limits = { ...settings, inFlight, clips: () => engines.inService };
  let gateway: GatewayConnection | undefined;
  const run = async (task: Task): Promise<void> => {
    await runTask(task, parts);
    gateway?.ended(task.request.key);
  };
  const registry = new TaskRegistry(limits, run, metrics);
  engines.lost.catch(() => registry.stopAll());
  let draining = false;
  const state = (): ServiceState => {
    if (draining) return "DRAINING";
    if (engines.model === undefined) return "STARTING";
    if (!engines.isAble) return "UNABLE";
    return registry.busy ? "BUSY" : "READY";
  };
  const app = createApp({
    ...settings,
    registry,
    decoderUpload: new DecoderUpload(modelFolder, log),
    log,
    metrics,
    state,
    model: () => engines.model,
    devices: () => engines.devices,
    videos: ffmpeg !== null,
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  if ("keepAliveTimeout" in server) {
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.keepAliveTimeoutBuffer = KEEP_ALIVE_BUFFER_MS;
  }
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(settings.port, settings.host, resolve);
  await listening;
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : settings.port;
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${port}`;
  log.info({ url, port }, "listening");
  const starts = engines.start();
  const { gatewayUrl, token } = settings;
  const beginWith = (model: ModelInfo): void => {
    log.info({ url, ...model }, "ready");
    if (gatewayUrl === undefined || token === undefined || draining) return;
    const hello = (): GatewayHello => ({
      type: "hello",
      protocol: PROTOCOL,
      version: packageFile.version,
      device: `${model.provider}, ${engines.inService} in service`,
      places: Math.max(1, inFlight()),
      model: describeModel(model, ffmpeg !== null),
      tasks: registry.keys,
    });
    gateway = new GatewayConnection({ url: gatewayUrl, token, hello, http: app.fetch, log });
  };
  Promise.any(starts).then(
    beginWith,
    // All have failed; `ready` reports the first failure.
    () => undefined,
  );
  return {
    url,
    ready: anyReady(starts),
    lost: engines.lost,
    enginePid: (index = 0) => engines.pids[index],
    drain: async () => {
      draining = true;
      registry.returnWaiting(settings.drainMs);
      const finished = await finish(registry, settings.drainMs);
      gateway?.close();
      await engines.close();
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
      return finished;
    },
  };
}

/** Waits for all; if all reject, rejects as the first one does. */
async function anyReady(starts: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(starts);
  if (!ends.some(({ status }) => status === "fulfilled")) await starts[0];
}

/** FFmpeg's command; null, and a warning in the log, if there is none. */
function ffmpegOf(log: Logger): string | null {
  try {
    return findFfmpeg(process.env);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "ffmpeg_missing");
    return null;
  }
}

async function finish(registry: TaskRegistry, withinMs: number): Promise<boolean> {
  const bound = Promise.withResolvers<"late">();
  const timer = setTimeout(() => bound.resolve("late"), withinMs);
  const first = await Promise.race([registry.drained(), bound.promise]);
  clearTimeout(timer);
  if (first !== "late") return true;
  registry.stopAll();
  await registry.drained();
  return false;
}

/** Containers that share a disk may have the same process ids, but never the same host name. */
const PREFIX = `inference-${hostname()}-`;

/** This process's folders: in a restarted container its predecessor may have had the same process id. */
const own = new Set<string>();

/**
 * Makes a folder for the files of running tasks and returns its path. Removes the folders that killed services on this
 * machine left behind.
 */
export async function makeScratch(): Promise<string> {
  const root = tmpdir();
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    const owner = name.startsWith(PREFIX) ? /^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0] : undefined;
    if (owner === undefined || own.has(folder) || (Number(owner) !== process.pid && isAlive(Number(owner))))
      continue;
    await rm(folder, { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(root, `${PREFIX}${process.pid}-`));
  own.add(folder);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
