import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Env } from "../../../../src/env.ts";
import worker from "../../../../src/index.ts";
import type { TaskMessage } from "../../../../src/jobs/store/queues.ts";
import { outputKey } from "../../../../src/shared/bucket/object-keys.ts";
import {
  filesOf,
  RoomRequest,
  type Completion,
  type ImageTaskOutput,
  type TaskRequest,
  type VideoTaskOutput,
  type WaitingTask,
} from "@segmentation/protocol";
import { answerOf, fetchWorker, type Answer } from "../client/api.ts";

/** The inference service's side of the protocol, faked by a test: it takes tasks and sends the test's reports. */
export class FakeInference {
  readonly tasks: TaskRequest[] = [];
  readonly cancelled: string[] = [];
  /** The digest of an upload that each request names, by method and the path's last part. */
  readonly pictures: (readonly [request: string, picture: string | null])[] = [];
  /** True to take the next tasks without an answer, until the Worker gives up. */
  silent = false;
  /** The answer to the next offers. */
  answer: () => Response = () => Response.json({}, { status: 202 });

  /** Answers if it has room for these tasks; by default it is too old to answer. */
  room: (tasks: readonly WaitingTask[]) => Response = () => new Response(null, { status: 404 });

  /** The description of its model. */
  model: () => Response = () => this.answer();

  constructor() {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const last = new URL(request.url).pathname.split("/").at(-1) ?? "";
      this.pictures.push([`${request.method} ${last}`, request.headers.get("x-picture")]);
      if (new URL(request.url).pathname === "/v1/room") {
        return this.room(RoomRequest.parse(await request.json()).tasks);
      }
      if (last === "model") return this.model();
      if (request.method === "DELETE") this.cancelled.push(last);
      if (request.method === "POST" && this.silent) {
        this.tasks.push(await request.json());
        throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
      }
      const response = this.answer();
      if (request.method === "POST" && response.status === 202) this.tasks.push(await request.json());
      return response;
    });
  }

  /** The last task taken. */
  get last(): TaskRequest {
    const task = this.tasks.at(-1);
    if (task === undefined) throw new Error("the inference service was offered no task");
    return task;
  }
}

/** The regions of a picture's task. */
export const regionsOf = (task: TaskRequest): unknown => (task.type === "image" ? task.regions : undefined);

/** Delivers queue messages to the Worker. Returns their acknowledgments. */
export const deliver = (queue: string, ...bodies: object[]): ReturnType<typeof getQueueResult> =>
  deliverIn(env, queue, ...bodies);

/** Like `deliver`, to the Worker in an environment. */
export const deliverIn = (
  environment: Env,
  queue: string,
  ...bodies: object[]
): ReturnType<typeof getQueueResult> => deliverAgain(1, environment, queue, ...bodies);

/** Like `deliverIn`, for the n-th time (n from 1). */
export async function deliverAgain(
  attempts: number,
  environment: Env,
  queue: string,
  ...bodies: object[]
): ReturnType<typeof getQueueResult> {
  const batch = createMessageBatch(
    queue,
    bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts, body })),
  );
  const context = createExecutionContext();
  await worker.queue(batch, environment);
  return getQueueResult(batch, context);
}

export const taskMessage = (jobId: string, taskId: string): TaskMessage => ({
  v: 1,
  jobId,
  taskId,
  waiting: { lane: "bulk", type: "image", account: "acct_1", acceptedAt: 1 },
});

export const deliverTask = (jobId: string, taskId: string): ReturnType<typeof getQueueResult> =>
  deliver("segmentation-interactive", taskMessage(jobId, taskId));

/** Calls back as the holder of a task's lease. */
export async function callBack(
  task: TaskRequest,
  callback: "outputs" | "progress" | "complete",
  body: unknown,
): Promise<Answer> {
  const request = new Request(`${task.callbackUrl}/${callback}`, {
    method: "POST",
    headers: { authorization: `Bearer ${task.callbackToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answerOf(await fetchWorker(request));
}

/** Returns a picture's output with this many masks, the first the most confident. */
export const output = (masks: number, changes: Partial<ImageTaskOutput> = {}): ImageTaskOutput => ({
  type: "image",
  units: 1,
  generatedAt: "2026-01-02T03:04:05.678Z",
  masks: Array.from({ length: masks }, (_, maskIndex) => ({
    maskIndex,
    promptIndex: 0,
    confidence: Math.max(0, 0.9 - maskIndex / 100),
    file: `masks/${maskIndex}.png`,
  })),
  preview: null,
  notice: null,
  ...changes,
});

export const success = (masks = 1, changes: Partial<ImageTaskOutput> = {}): Completion => ({
  outcome: "success",
  output: output(masks, changes),
});

/** Returns a video's output of this many frames, with an object in all but the first. */
export const videoSuccess = (frames: number, changes: Partial<VideoTaskOutput> = {}): Completion => ({
  outcome: "success",
  output: {
    type: "video",
    units: frames,
    generatedAt: "2026-01-02T03:04:05.678Z",
    framesWithMasks: frames - 1,
    totalMasks: frames - 1,
    masks: "masks.json",
    preview: null,
    notice: null,
    ...changes,
  },
});

export const failure = (retryable: boolean, code = "not_an_image"): Completion => ({
  outcome: "failed",
  problem: { code, message: "The file is not a picture." },
  retryable,
});

/** Takes every task of a job in turn and completes it, with its outputs in the bucket. */
export async function finishJob(
  inference: FakeInference,
  accountId: string,
  jobId: string,
  taskIds: readonly string[],
  completionOf: (taskId: string, index: number) => Completion = () => success(),
): Promise<void> {
  for (const [index, taskId] of taskIds.entries()) {
    await deliverTask(jobId, taskId);
    const task = inference.last;
    const completion = completionOf(taskId, index);
    if (completion.outcome === "success") {
      const lease = Number(task.key.split(".").at(-1));
      for (const { name } of filesOf(completion.output)) {
        await env.MEDIA.put(
          outputKey({ accountId, jobId }, taskId, lease, name),
          `bytes of ${taskId} ${name}`,
        );
      }
    }
    const { status } = await callBack(task, "complete", completion);
    if (status !== 204) throw new Error(`complete answered ${status}`);
  }
}
