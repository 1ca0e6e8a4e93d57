/**
 * A thread that kills the engine's process once its parent is gone: the main thread may be inside a graph or stuck,
 * and would not notice.
 */
import { workerData } from "node:worker_threads";
import { killGroup } from "../kill-group.ts";

const EVERY_MS = 1_000;

setInterval(() => {
  if (process.ppid !== workerData) killGroup(process.pid);
}, EVERY_MS);
