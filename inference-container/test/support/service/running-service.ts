import pino from "pino";
import { type Service, startService } from "../../../src/service.ts";
import { readSettings } from "../../../src/settings.ts";
import type { ImageTaskRequest, TaskRequest, VideoTaskRequest } from "@segmentation/protocol";
import { samples } from "../pictures/pictures.ts";
import { startWorkerSide, type WorkerSide } from "./fake-worker.ts";

/** The secret that tests share with the service. */
export const SERVICE_TOKEN = "a-token-for-the-service";
const FIXTURE = new URL("fixture-model.ts", import.meta.url).href;

/** A service with the fixture model, and a fake Worker. */
export interface Rig extends AsyncDisposable {
  readonly service: Service;
  readonly worker: WorkerSide;
  /** Every line that the service logged. */
  readonly lines: string[];
  post(request: unknown): Promise<Response>;
  /** Any request to the service with its token. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a picture's task and waits for its report. */
  finish(overrides?: Partial<ImageTaskRequest>): ReturnType<WorkerSide["completed"]>;
  /** Posts a video's task and waits for its report. */
  finishVideo(overrides?: Partial<VideoTaskRequest>): ReturnType<WorkerSide["completed"]>;
}

/** Starts both on free ports; waits until the fixture model is warm, but not for another that `environment` names. */
export async function startRig(
  environment: Readonly<Record<string, string>> = {},
  loader = FIXTURE,
): Promise<Rig> {
  const worker = await startWorkerSide();
  const pictures = await samples();
  for (const [name, bytes] of Object.entries(pictures)) worker.inputs.set(name, bytes);
  const lines: string[] = [];
  const log = pino({ level: "debug", base: null }, { write: (line) => void lines.push(line) });
  const settings = readSettings({
    PORT: "0",
    INFERENCE_TOKEN: SERVICE_TOKEN,
    MODEL_FOLDER: "fixture",
    STORAGE_ORIGINS: worker.origin,
    CALLBACK_ORIGINS: worker.origin,
    DRAIN_SECONDS: "20",
    ...environment,
  });
  const service = await startService(settings, loader, log);
  service.ready.catch(() => undefined);
  if (environment["MODEL_FOLDER"] === undefined) await service.ready;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${SERVICE_TOKEN}` }, ...init });
  const post = (request: unknown): Promise<Response> =>
    ask("/v1/tasks", {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(request),
    });
  const finish = async (request: TaskRequest): ReturnType<WorkerSide["completed"]> => {
    const answer = await post(request);
    if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
    return worker.completed(request.key);
  };
  return {
    service,
    worker,
    lines,
    ask,
    post,
    finish: (overrides) => finish(worker.request(overrides)),
    finishVideo: (overrides) => finish(worker.videoRequest(overrides)),
    [Symbol.asyncDispose]: async () => {
      await service.drain();
      await worker.close();
    },
  };
}

/** Waits until `condition` holds, for as long as the test's own limit allows. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
