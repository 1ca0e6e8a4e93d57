import { expect, test } from "vitest";
import type { TaskRequest } from "@segmentation/protocol";
import { TaskReturned } from "../../src/failures.ts";
import { Metrics } from "../../src/metrics.ts";
import { TaskRegistry } from "../../src/tasks/task-registry.ts";
import type { Task } from "../../src/tasks/task.ts";

const request = (key: string): TaskRequest => ({
  type: "image",
  key,
  lane: "bulk",
  account: "acct_1",
  acceptedAt: 1,
  prompts: ["cat"],
  generatePreview: false,
  threshold: 0.5,
  maskThreshold: 0.5,
  limits: { inputBytes: 1, inputPixels: 1, masks: 1 },
  inputUrl: "http://127.0.0.1/input",
  callbackUrl: "http://127.0.0.1/callback",
  callbackToken: "token",
  deadline: 1,
});

test("tasks without a place are handed back at once, and the others go on", async () => {
  const ended: string[] = [];
  const whenFreed: (() => void)[] = [];
  const work = async (task: Task): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    whenFreed.push(resolve);
    task.signal.addEventListener("abort", () => resolve());
    if (!task.signal.aborted) await promise;
    const { reason } = task.signal;
    ended.push(`${task.request.key} ${reason instanceof TaskReturned ? `back ${reason.withinMs}` : "done"}`);
    task.lease.end();
  };
  const limits = {
    inFlight: () => 3,
    clips: () => 1,
    queueCapacity: 8,
    heartbeatMs: 60_000,
    patienceMs: 60_000,
  };
  const registry = new TaskRegistry(limits, work, new Metrics());
  for (const key of ["a", "b", "c", "d", "e", "f", "g", "h"]) registry.submit(request(key));

  registry.returnWaiting(25_000);
  await expect
    .poll(() => ended)
    .toEqual(["d back 25000", "e back 25000", "f back 25000", "g back 25000", "h back 25000"]);
  expect(registry.busy).toBe(true);

  for (const free of whenFreed) free();
  await registry.drained();
  expect(ended.slice(5)).toEqual(["a done", "b done", "c done"]);
});
