import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { TaskRequest } from "@segmentation/protocol";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliver,
  FakeInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { Draw } from "../../support/worker/client/random.ts";
import { later } from "../../support/worker/runtime/time.ts";

interface Message {
  readonly lane: string;
  readonly jobId: string;
  readonly taskId: string;
}

const WINDOW = 6;
const PLACES = 4;
const JOBS = 5;
const TASKS = 100;

/** An inference service with a few places a lane: it answers 429 while they are taken. */
class BusyInference extends FakeInference {
  readonly running: TaskRequest[] = [];
  refused = 0;
  done = 0;

  /** Delivers a message. Returns true if the task was taken. */
  async offer({ lane, jobId, taskId }: Message): Promise<boolean> {
    const isFull = this.running.filter((task) => task.lane === lane).length >= PLACES;
    this.answer = () =>
      isFull
        ? Response.json({ error: "lane_full" }, { status: 429, headers: { "retry-after": "2" } })
        : Response.json({}, { status: 202 });
    const before = this.tasks.length;
    await deliver(`segmentation-${lane}`, taskMessage(jobId, taskId));
    this.running.push(...this.tasks.slice(before));
    if (isFull) this.refused += 1;
    return this.tasks.length > before;
  }

  /** Ends one of the running tasks, if there is one. */
  async finish(index: number): Promise<void> {
    for (const task of this.running.splice(index, 1)) {
      this.done += 1;
      expect((await callBack(task, "complete", success())).status).toBe(204);
    }
  }

  /** Advances half a minute, and reports the running tasks. */
  async beat(): Promise<void> {
    later(30_000);
    for (const task of this.running) {
      expect((await callBack(task, "progress", { done: 0, total: 1 })).status).toBe(200);
    }
  }
}

/** Returns the messages queued since the last call, in order. Real queues would deliver every hundred by themselves. */
function queued(): () => Message[] {
  const sent = vi.spyOn(Queues.prototype, "sendTasks").mockResolvedValue();
  let seen = 0;
  return () => {
    const calls = sent.mock.calls.slice(seen);
    seen = sent.mock.calls.length;
    return calls.flatMap(([lane, jobId, taskIds]) => taskIds.map((taskId) => ({ lane, jobId, taskId })));
  };
}

/** Returns the end of each task of a job, and its attempt. */
const endsOf = (jobId: string) =>
  runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) =>
    new JobStorage(storage).load()?.tasks.map(({ taskId, step, attempts }) => [taskId, step.at, attempts]),
  );

describe("many tasks and an inference service with room for four", () => {
  it("all succeed in their first attempt after any number of refusals, and a single picture passes them all", async () => {
    const draw = new Draw();
    const inference = new BusyInference();
    const take = queued();
    const jobs: { jobId: string; tasks: string[] }[] = [];
    for (let batch = 0; batch < JOBS; batch += 1) jobs.push(await newJob(await newClient(), TASKS));
    const messages = take();
    expect(messages).toHaveLength(JOBS * WINDOW);

    while (inference.done < JOBS * TASKS + 1) {
      const [message] = messages.splice(draw.upTo(Math.max(messages.length - 1, 0)), 1);
      if (message !== undefined) await inference.offer(message);
      else {
        await inference.beat();
        for (const { jobId } of jobs) await ring(jobId);
      }
      if (message === undefined || draw.upTo(2) === 0) await inference.finish(draw.upTo(PLACES - 1));
      messages.push(...take());
      // However many tasks of a job wait, only its window is in the queue.
      expect(messages.length).toBeLessThanOrEqual(JOBS * WINDOW);

      if (jobs.length === JOBS && inference.done > TASKS && inference.running.length === PLACES) {
        const single = await newJob(await newClient());
        const [first, ...others] = take().filter(({ jobId }) => jobId === single.jobId);
        expect(first).toEqual({ lane: "interactive", jobId: single.jobId, taskId: single.tasks[0] });
        expect(others).toEqual([]);
        if (first !== undefined) expect(await inference.offer(first)).toBe(true);
        jobs.push(single);
      }
    }

    expect(jobs).toHaveLength(JOBS + 1);
    expect(inference.refused).toBeGreaterThan(TASKS);
    expect(inference.tasks).toHaveLength(JOBS * TASKS + 1);
    for (const { jobId, tasks } of jobs) {
      expect(await endsOf(jobId)).toEqual(tasks.map((taskId) => [taskId, "success", 1]));
    }
  });
});
