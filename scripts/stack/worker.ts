import { join } from "node:path";
import { type Child, startChild } from "./child.ts";
import { type StateFolder, stackMark } from "./state-folder.ts";
import { waitForOk } from "./wait-for.ts";
import { QUIET_WRANGLER } from "./wrangler.ts";

const READY_PATIENCE_MS = 2 * 60_000;
const UNUSABLE = /Build failed|Error reloading local server/;
/** How long to wait for the reason, which follows the line that reports the failure. */
const REASON_MS = 200;

export interface WorkerOptions {
  readonly state: StateFolder;
  readonly port: number;
  readonly baseUrl: string;
  /** Another entry than the local stack's own (scripts/stack/workers/main.ts), from the project's folder. */
  readonly main?: string | undefined;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the Worker with the state folder's env file and waits until it answers /healthz. @throws Failure if it does not */
export async function startWorker(options: WorkerOptions): Promise<Child> {
  const broken = new AbortController();
  const child: Child = await startChild({
    name: "The Worker",
    args: [
      join("scripts", "stack", "worker-main.ts"),
      `--port=${options.port}`,
      `--data=${options.state.data}`,
      `--env-file=${options.state.workerEnvironment}`,
      ...(options.main === undefined ? [] : [`--main=${options.main}`]),
    ],
    env: { ...process.env, ...QUIET_WRANGLER, ...stackMark(options.state), FORCE_COLOR: "0" },
    logFile: join(options.state.logs, "worker.log"),
    onLine: (line) => {
      // If code cannot be built or loaded, Wrangler waits for an edit and never answers.
      if (UNUSABLE.test(line)) setTimeout(() => broken.abort(child.failure("cannot start")), REASON_MS);
      options.onLine(line);
    },
  });
  void child.ended.then((why) => broken.abort(child.failure(`ended during its start (${why})`)));
  try {
    const signal = AbortSignal.any([options.signal, broken.signal]);
    if (await waitForOk(`${options.baseUrl}/healthz`, READY_PATIENCE_MS, signal)) return child;
    throw child.failure("did not answer /healthz within two minutes");
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
}
