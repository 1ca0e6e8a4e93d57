import { rm } from "node:fs/promises";
import { createAdaptorServer } from "@hono/node-server";
import type { Logger } from "pino";
import { messageOf } from "./error-message.ts";
import { Engines } from "./supervisor/engines.ts";
import { createApp, type ServiceState } from "./http/app.ts";
import { Metrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";
import { makeScratch } from "./scratch.ts";
import { findFfmpeg } from "./video/ffmpeg.ts";
import { Board } from "./tasks/board.ts";
import { runTask } from "./tasks/run-task.ts";

/** Longer than clients and load balancers keep an idle connection: this side must not be the first to close. */
const KEEP_ALIVE_MS = 75_000;

/** A running service. */
export interface Service {
  readonly url: string;
  /**
   * Resolves when the model is warm on every device; tasks are accepted once it is warm on one.
   * @throws Error if it can't be loaded on one of them
   */
  readonly ready: Promise<void>;
  /** The process id of a device's engine while it runs; `index` counts the devices in the settings' order. */
  enginePid(index?: number): number | undefined;
  /**
   * Refuses new tasks, finishes the accepted ones and closes; tasks not finished in time are reported as handed back.
   * Resolves to whether all were finished.
   */
  drain(): Promise<boolean>;
}

/** Resolves once the service listens; the model is still loading. @param loader URL of the module that exports `loadModel` */
export async function startService(settings: Settings, loader: string, log: Logger): Promise<Service> {
  const metrics = new Metrics();
  const folder = await makeScratch();
  const { modelFolder, modelOptions, devices, cpuFallback, storageOrigins, patienceMs } = settings;
  const ffmpeg = ffmpegOf(log);
  const config = { loader, modelFolder, ffmpeg, cpuFallback, options: modelOptions };
  const engines = new Engines(config, devices, settings.taskTimeoutMs, log, metrics);
  const parts = { engines, folder, storageOrigins, patienceMs, log, metrics };
  const inFlight = (): number =>
    settings.inFlight === undefined ? engines.places : settings.inFlight * devices.length;
  const limits = { ...settings, inFlight, clips: devices.length };
  const board = new Board(limits, (task) => runTask(task, parts), metrics);
  let draining = false;
  const state = (): ServiceState => {
    if (draining) return "DRAINING";
    if (engines.model === undefined) return "STARTING";
    if (!engines.isAble) return "UNABLE";
    return board.busy ? "BUSY" : "READY";
  };
  const app = createApp({
    ...settings,
    board,
    log,
    metrics,
    state,
    model: () => engines.model,
    devices: () => engines.devices,
    videos: ffmpeg !== null,
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = KEEP_ALIVE_MS;
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
  Promise.any(starts).then(
    (model) => log.info({ url, ...model }, "ready"),
    // All have failed; `ready` reports the first failure.
    () => undefined,
  );
  const ready = Promise.all(starts).then(() => undefined);
  return {
    url,
    ready,
    enginePid: (index = 0) => engines.pids[index],
    drain: async () => {
      draining = true;
      const finished = await finish(board, settings.drainMs);
      await engines.close();
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
      return finished;
    },
  };
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

async function finish(board: Board, withinMs: number): Promise<boolean> {
  const bound = Promise.withResolvers<"late">();
  const timer = setTimeout(() => bound.resolve("late"), withinMs);
  const first = await Promise.race([board.drained(), bound.promise]);
  clearTimeout(timer);
  if (first !== "late") return true;
  board.stopAll();
  await board.drained();
  return false;
}
