/**
 * A thread of the engine that ends the process once its parent is gone: the main thread may be inside a graph, or stuck,
 * and hears of nothing then.
 */
import { workerData } from "node:worker_threads";

const EVERY_MS = 1_000;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL");
}, EVERY_MS);
