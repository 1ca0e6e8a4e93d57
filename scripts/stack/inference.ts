import { join } from "node:path";
import { Failure } from "../shared/command-line.ts";
import type { Child } from "./child.ts";
import { startListeningChild } from "./listening-child.ts";
import { type StateFolder, stackMark } from "./state-folder.ts";
import { waitForOk } from "./wait-for.ts";

const READY_PATIENCE_MS = 5 * 60_000;
const REMOTE_PATIENCE_MS = 20_000;

export interface InferenceOptions {
  readonly state: StateFolder;
  readonly token: string;
  readonly modelFolder: string;
  /** Another script than the service's own, from the project's folder. */
  readonly main?: string | undefined;
  /** The Worker's origin, which serves the local storage and the callbacks; the service contacts no other. */
  readonly origin: string;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the inference service on a free port. Resolves as soon as it listens, before its model is warm. */
export async function startInference(options: InferenceOptions): Promise<{ child: Child; url: string }> {
  return await startListeningChild(
    {
      name: "The inference service",
      args: [options.main ?? join("inference-container", "src", "main.ts")],
      env: {
        ...process.env,
        ...stackMark(options.state),
        HOST: "127.0.0.1",
        PORT: "0",
        // Ctrl-C should not wait for a long task: its lease ends, and the next start runs the task again.
        DRAIN_SECONDS: process.env["DRAIN_SECONDS"] ?? "1",
        // A person who watches wants to see progress.
        HEARTBEAT_SECONDS: process.env["HEARTBEAT_SECONDS"] ?? "2",
        INFERENCE_TOKEN: options.token,
        MODEL_FOLDER: options.modelFolder,
        STORAGE_ORIGINS: options.origin,
        CALLBACK_ORIGINS: options.origin,
      },
      logFile: join(options.state.logs, "inference.log"),
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
    READY_PATIENCE_MS,
    AbortSignal.any([signal, ended.signal]),
  );
  if (!isReady) throw child.failure("was not ready after five minutes");
}

/** Waits for a service that was not started here. @throws Failure if it is not ready or refuses the token */
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
