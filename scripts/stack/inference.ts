import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../shared/command-line.ts";
import { type Child, startChild } from "./child.ts";
import { type StateFolder, stackMark } from "./state-folder.ts";
import { waitForOk } from "./wait-for.ts";

const LISTENING_PATIENCE_MS = 60_000;
const READY_PATIENCE_MS = 5 * 60_000;
const REMOTE_PATIENCE_MS = 20_000;

export interface InferenceOptions {
  readonly state: StateFolder;
  readonly token: string;
  readonly modelFolder: string;
  /** The Worker's origin: the local storage and the callbacks lie there, and nothing else is fetched. */
  readonly origin: string;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The address in the service's `listening` line, or null for any other line. */
export function listeningUrl(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("msg" in entry) || !("url" in entry)) return null;
    return entry.msg === "listening" && typeof entry.url === "string" ? entry.url : null;
  } catch {
    return null;
  }
}

/** Starts the inference service on a free port; resolves as soon as it listens, before its model is warm. */
export async function startInference(options: InferenceOptions): Promise<{ child: Child; url: string }> {
  const announced = Promise.withResolvers<string>();
  const child = await startChild({
    name: "The inference service",
    args: [join("inference-container", "src", "main.ts")],
    env: {
      ...process.env,
      ...stackMark(options.state),
      HOST: "127.0.0.1",
      PORT: "0",
      // Ctrl-C should not wait for a long task: its lease ends and it is done again at the next start.
      DRAIN_SECONDS: process.env["DRAIN_SECONDS"] ?? "1",
      INFERENCE_TOKEN: options.token,
      MODEL_FOLDER: options.modelFolder,
      STORAGE_ORIGINS: options.origin,
      CALLBACK_ORIGINS: options.origin,
    },
    logFile: join(options.state.logs, "inference.log"),
    onLine: (line) => {
      const url = listeningUrl(line);
      if (url !== null) announced.resolve(url);
      options.onLine(line);
    },
  });
  const timer = new AbortController();
  const url = await Promise.race([
    announced.promise,
    child.ended.then((why) => child.failure(`ended at its start (${why})`)),
    sleep(LISTENING_PATIENCE_MS, null, { signal: AbortSignal.any([timer.signal, options.signal]) })
      .then(() => child.failure("does not listen"))
      .catch(() => child.failure("was interrupted")),
  ]);
  timer.abort();
  if (typeof url === "string") return { child, url };
  await child.stop(0);
  options.signal.throwIfAborted();
  throw url;
}

/** Waits until the service's model is warm; fails early when the service ends. */
export async function waitForModel(child: Child, url: string, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  void child.ended.then((why) => ended.abort(child.failure(`ended while its model was loading (${why})`)));
  const isReady = await waitForOk(
    `${url}/readyz`,
    READY_PATIENCE_MS,
    AbortSignal.any([signal, ended.signal]),
  );
  if (!isReady) throw child.failure("is not ready after five minutes");
}

/** Waits for a service that someone else runs. */
export async function waitForRemoteService(url: string, token: string, signal: AbortSignal): Promise<void> {
  if (await waitForOk(`${url}/readyz`, REMOTE_PATIENCE_MS, signal)) {
    const { status } = await fetch(`${url}/v1/model`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status !== 401) return;
    throw new Failure(
      `The inference service at INFERENCE_URL (${url}) refuses INFERENCE_TOKEN. Is it the same on both sides?`,
    );
  }
  throw new Failure(
    `The inference service at INFERENCE_URL (${url}) is not ready: ${url}/readyz does not answer 200.`,
  );
}
