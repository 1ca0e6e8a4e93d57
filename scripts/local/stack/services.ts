import { join } from "node:path";
import { Failure } from "../../shared/command-line.ts";
import type { Mark } from "../../shared/marked-processes.ts";
import { type Child, startListeningChild, startChild } from "../../shared/child.ts";
import { type StateFolder, stackMark } from "../../shared/state/state-folder.ts";
import { waitForOk } from "../../shared/wait-for.ts";
import { QUIET_WRANGLER } from "../../shared/cloudflare/wrangler.ts";

const MODEL_PATIENCE_MS = 5 * 60_000;
const REMOTE_PATIENCE_MS = 20_000;

export interface InferenceOptions {
  /** Its name in messages, if it differs from the service's. */
  readonly name?: string;
  readonly token: string;
  readonly modelFolder: string;
  /** A replacement for the service's script, from the project's folder. */
  readonly main?: string | undefined;
  /** The Worker's origin, which serves the local storage and the callbacks; the service contacts no other. */
  readonly origin: string;
  readonly mark: Mark;
  /** The folder for its log. */
  readonly logs: string;
  /** Settings that differ from the service's defaults. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the inference service on a free port. Resolves as soon as it listens, before its model is warm. */
export async function startInference(options: InferenceOptions): Promise<{ child: Child; url: string }> {
  return await startListeningChild(
    {
      name: options.name ?? "The inference service",
      args: [options.main ?? join("inference-container", "src", "main.ts")],
      env: {
        ...process.env,
        ...options.mark,
        HOST: "127.0.0.1",
        PORT: "0",
        // Ctrl-C should not wait for a long task: its lease ends, and the next start runs the task again.
        DRAIN_SECONDS: process.env["DRAIN_SECONDS"] ?? "1",
        INFERENCE_TOKEN: options.token,
        MODEL_FOLDER: options.modelFolder,
        STORAGE_ORIGINS: options.origin,
        CALLBACK_ORIGINS: options.origin,
        ...options.settings,
      },
      logFile: join(options.logs, "inference.log"),
      onLine: options.onLine,
    },
    options.signal,
  );
}

/** Waits until the service's model is warm. @throws Failure as soon as the service ends */
export async function waitForModel(child: Child, url: string, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  void child.ended.then((why) => ended.abort(child.failure(`ended while its model was loading (${why})`)));
  const isReady = await waitForOk(
    `${url}/readyz`,
    MODEL_PATIENCE_MS,
    AbortSignal.any([signal, ended.signal]),
  );
  if (!isReady) throw child.failure("was not ready after five minutes");
}

/** Waits for a service that was started elsewhere. @throws Failure if it is not ready or refuses the token */
export async function waitForRemoteService(url: string, token: string, signal: AbortSignal): Promise<void> {
  if (await waitForOk(`${url}/readyz`, REMOTE_PATIENCE_MS, signal)) {
    const { status } = await fetch(`${url}/v1/model`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status !== 401) return;
    throw new Failure(
      `The inference service at INFERENCE_URL (${url}) refuses INFERENCE_TOKEN. Set the same token on both sides.`,
    );
  }
  throw new Failure(
    `The inference service at INFERENCE_URL (${url}) is not ready: ${url}/readyz does not answer 200. Start it, or correct INFERENCE_URL.`,
  );
}

const WORKER_PATIENCE_MS = 2 * 60_000;
const UNUSABLE = /Build failed|Error reloading local server/;
/** Time to wait for the reason, which follows the line that reports the failure. */
const REASON_MS = 200;

export interface WorkerOptions {
  readonly state: StateFolder;
  readonly port: number;
  readonly baseUrl: string;
  /** A replacement for the local stack's entry (scripts/local/stack/workers/main.ts), from the project's folder. */
  readonly main?: string | undefined;
  /** A replacement for wrangler.toml. */
  readonly config?: string | undefined;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the Worker with the state folder's env file and waits until it answers /healthz. @throws Failure if it does not */
export async function startWorker(options: WorkerOptions): Promise<Child> {
  const broken = new AbortController();
  const child: Child = await startChild({
    name: "The Worker",
    args: [
      join("scripts", "local", "stack", "worker-main.ts"),
      `--port=${options.port}`,
      `--data=${options.state.data}`,
      `--env-file=${options.state.workerEnvironment}`,
      ...(options.main === undefined ? [] : [`--main=${options.main}`]),
      ...(options.config === undefined ? [] : [`--config=${options.config}`]),
    ],
    env: {
      ...process.env,
      ...QUIET_WRANGLER,
      ...stackMark(options.state),
      // Overrides the environment: otherwise Wrangler does not even read the given file.
      CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "true",
      FORCE_COLOR: "0",
    },
    logFile: join(options.state.logs, "worker.log"),
    onLine: (line) => {
      // If code can't be built or loaded, Wrangler waits for an edit and never answers.
      if (UNUSABLE.test(line)) setTimeout(() => broken.abort(child.failure("cannot start")), REASON_MS);
      options.onLine(line);
    },
  });
  void child.ended.then((why) => broken.abort(child.failure(`ended during its start (${why})`)));
  try {
    const signal = AbortSignal.any([options.signal, broken.signal]);
    if (await waitForOk(`${options.baseUrl}/healthz`, WORKER_PATIENCE_MS, signal)) return child;
    throw child.failure("did not answer /healthz within two minutes");
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
}
