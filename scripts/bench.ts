import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadModel } from "../inference-container/src/models/load.ts";
import { ensureBuiltin } from "../inference-container/src/models/fetch/ensure-builtin.ts";
import { measurePicture, type Bench, type Measurement } from "./bench/measure.ts";
import { report } from "./bench/report.ts";
import { taskTimes, type TaskTimes } from "./bench/task-times.ts";
import { createClient } from "./client/api-client.ts";
import { runCommand, usageError } from "./shared/command-line.ts";
import { startStack } from "./stack/start-stack.ts";

const HELP = `npm run bench [-- --pictures N]

Where the time of a picture goes, from createJob to success, beside a bare loop of the same model in the same run.
Prints a Markdown table: for N pictures (12) that no cache has seen, and for a second prompt on each.`;

function parsePictures(): number | null {
  const { values } = parseArgs({
    options: { pictures: { type: "string", default: "12" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) return null;
  const pictures = Number(values.pictures);
  if (Number.isInteger(pictures) && pictures >= 1 && pictures <= 1_000) return pictures;
  throw usageError("--pictures takes a whole number from 1 to 1000.");
}

/** Collects the service's task lines, and gives each as it comes. */
function collectTimes(): { onLine: (line: string) => void; timesOf: Bench["timesOf"] } {
  const byJob = new Map<string, PromiseWithResolvers<TaskTimes>>();
  const entry = (jobId: string): PromiseWithResolvers<TaskTimes> => {
    const known = byJob.get(jobId) ?? Promise.withResolvers<TaskTimes>();
    byJob.set(jobId, known);
    return known;
  };
  return {
    onLine: (line) => {
      const times = taskTimes(line);
      if (times !== null) entry(times.key.split(".")[0] ?? "").resolve(times);
    },
    timesOf: (jobId) => entry(jobId).promise,
  };
}

await runCommand(async (signal) => {
  const pictures = parsePictures();
  if (pictures === null) {
    console.log(HELP);
    return 0;
  }
  const stateDir = await mkdtemp(join(tmpdir(), "bench-"));
  const { onLine, timesOf } = collectTimes();
  const stack = await startStack({
    port: 0,
    stateDir,
    onProgress: (sentence) => console.error(sentence),
    onLine: (part, line) => (part === "inference" ? onLine(line) : undefined),
    signal,
  });
  try {
    const crash = stack.crashed.then((failure) => Promise.reject(failure));
    const model = await loadModel(await ensureBuiltin());
    const bench = { client: createClient({ ...stack, signal }), timesOf, model };
    const runs: Measurement[] = [];
    // The first picture warms the path up and is not counted.
    await Promise.race([measurePicture(bench, 0), crash]);
    for (let n = 1; n <= pictures; n += 1) {
      signal.throwIfAborted();
      runs.push(...(await Promise.race([measurePicture(bench, n), crash])));
      console.error(`picture ${n} of ${pictures}`);
    }
    await model.close();
    console.log(
      `${availableParallelism()} cores, Node ${process.version}, model ${model.id} ${model.version}\n`,
    );
    console.log(report(runs).join("\n"));
  } finally {
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
  return 0;
});
