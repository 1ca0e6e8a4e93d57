/*
 * Loaded into every process of a test run before its code (`--import`). The device's thread then runs the embedded model's
 * expensive graphs once per input across all processes, and reads the result from a folder afterwards: SAM 2's encoder takes
 * seconds of a processor, and the tests use the same few pictures. The folder has only the results of this run. Plain JavaScript,
 * because Node 20 loads it, too.
 */
import { isMainThread } from "node:worker_threads";

const folder = process.env["KEPT_RUNS"];
if (!isMainThread && folder !== undefined && process.argv.some((one) => one.endsWith("onnx-thread.ts"))) {
  const { keepRuns } = await import("./keep-runs.ts");
  keepRuns(folder);
}
