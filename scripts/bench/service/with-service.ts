import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  startWorkerSide,
  type WorkerSide,
} from "../../../inference-container/test/support/service/fake-worker.ts";
import type { Completion, TaskRequest } from "@segmentation/protocol";
import { Failure } from "../../shared/command-line.ts";
import type { Mark } from "../../shared/marked-processes.ts";
import { type InferenceKind, startInference } from "../start-inference.ts";
import { collectTimes, type TaskLog } from "../task-times.ts";

/** The pause before another attempt if the service has no room or is not ready. */
const RETRY_MS = 20;

/** The inference service as a process, with fakes for the Worker and the storage. */
export interface BenchService {
  readonly worker: WorkerSide;
  /** A temporary folder for the measurement, deleted after it. */
  readonly folder: string;
  /** The times of a task, by its key. */
  readonly timesOf: TaskLog["timesOf"];
  /** Posts a task and waits for its report, then discards the task's outputs. */
  finish(request: TaskRequest): Promise<Completion>;
}

/** Starts the service, calls `use`, and cleans up. @throws Failure if the service ends meanwhile */
export async function withService<T>(
  kind: InferenceKind,
  mark: Mark,
  signal: AbortSignal,
  use: (service: BenchService) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const worker = await startWorkerSide();
  const { onLine, timesOf } = collectTimes();
  try {
    const { child, settings } = await startInference(kind, mark, {
      origin: worker.origin,
      folder,
      onLine,
      signal,
    });
    try {
      const ended = child.ended.then((why) => Promise.reject(child.failure(`ended unexpectedly (${why})`)));
      const post = await connect(settings, signal);
      const finish = async (request: TaskRequest): Promise<Completion> => {
        await post(request);
        const completion = await Promise.race([worker.completed(request.key), aborted(signal)]);
        forget(worker, request.key);
        return completion;
      };
      return await Promise.race([use({ worker, folder, timesOf, finish }), ended]);
    } finally {
      await child.stop(2_000);
    }
  } finally {
    await worker.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the service is ready. Returns a function that posts a task, repeatedly until the service has room. */
async function connect(
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<(request: TaskRequest) => Promise<void>> {
  const { INFERENCE_URL: url = "", INFERENCE_TOKEN: token = "" } = settings;
  while (!(await fetch(`${url}/readyz`, { signal })).ok) await sleep(RETRY_MS);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return async (request) => {
    for (;;) {
      const body = JSON.stringify(request);
      const answer = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body, signal });
      const said = await answer.text();
      if (answer.status === 202) return;
      if (answer.status !== 429) throw new Failure(`The service refused a task: ${answer.status} ${said}`);
      await sleep(RETRY_MS);
    }
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = (): void => reject(new Failure("Interrupted."));
    if (signal.aborted) interrupt();
    else signal.addEventListener("abort", interrupt, { once: true });
  });
}

function forget({ stored, completions, progress }: WorkerSide, key: string): void {
  for (const name of stored.keys()) {
    if (name.startsWith(`${key}/`)) stored.delete(name);
  }
  completions.delete(key);
  progress.delete(key);
}
