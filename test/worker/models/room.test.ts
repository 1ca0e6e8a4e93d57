import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { TaskMessage, Queues } from "../../../src/jobs/store/queues.ts";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { at } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { deliver, deliverAgain, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";

const QUEUE = "segmentation-bulk";
/** Delivers messages that have come back so often that new ones replace them now. */
const deliverWorn = (...bodies: object[]) => deliverAgain(4, env, QUEUE, ...bodies);

let client: Client;
let inference: FakeInference;
let messages: TaskMessage[];
/** The messages queued from now on; they stay there. */
let queued: { body: TaskMessage; delaySeconds: number }[];
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  queued = [];
  const intoQueue: Queue["sendBatch"] = (batch) => {
    for (const { body, delaySeconds = 0 } of batch) {
      queued.push({ body: TaskMessage.parse(body), delaySeconds });
    }
    return Promise.resolve({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } });
  };
  const queues: Queue = Object.getPrototypeOf(env.BULK_QUEUE);
  vi.spyOn(queues, "sendBatch").mockImplementation(intoQueue);
  await newJob(client, 6);
  messages = queued.splice(0).map(({ body }) => body);
});

const full = () => Response.json({ room: messages.map(() => false) });
const away = () => {
  throw new TypeError("connection refused");
};

describe("a task for which there is no room", () => {
  it.each([
    ["full", full],
    ["away", away],
    ["starting", () => Response.json({ error: "starting" }, { status: 503 })],
    ["refusing our token", () => Response.json({ error: "unauthorized" }, { status: 401 })],
  ])(
    "wakes no object and writes no row while the service is %s, however long [3.1-12]",
    async (_, answer) => {
      inference.room = answer;
      const calls = vi.spyOn(Object.getPrototypeOf(env.JOBS), "getByName");
      const saves = vi.spyOn(JobStorage.prototype, "save");
      const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
      for (let round = 0; round < 20; round += 1) {
        for (const attempts of [1, 2, 3])
          expect(await deliverAgain(attempts, env, QUEUE, ...messages)).toMatchObject({
            retryMessages: { length: 6 },
            explicitAcks: [],
          });
        expect(queued).toEqual([]);
        const result = await deliverWorn(...messages);
        expect(result).toMatchObject({ retryMessages: [], explicitAcks: { length: 6 } });
        const again = queued.splice(0);
        expect(again.map(({ body }) => body)).toEqual(messages);
        later(Math.max(...again.map(({ delaySeconds }) => delaySeconds)) * 1_000);
      }
      expect(inference.tasks).toEqual([]);
      expect({ objects: calls.mock.calls, rows: saves.mock.calls, statements: prepare.mock.calls }).toEqual({
        objects: [],
        rows: [],
        statements: [],
      });
    },
  );

  it("returns ever more rarely, and at random times [3.1-12]", async () => {
    inference.room = full;
    for (const [waited, least, most] of [
      [10, 2, 3],
      [300, 30, 45],
      [86_000, 600, 900],
    ] as const) {
      const { acceptedAt } = at(messages, 0).waiting ?? { acceptedAt: 0 };
      later(acceptedAt + waited * 1_000 - Date.now());
      const delays: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const { queue, metadata } = createMessageBatch(QUEUE, []);
        const retry = (how?: QueueRetryOptions) => void delays.push(how?.delaySeconds ?? 0);
        const fresh = messages.map((body) => ({
          id: "m",
          timestamp: new Date(),
          attempts: 1,
          body,
          retry,
          ack: () => {},
        }));
        await worker.queue({ queue, metadata, messages: fresh, ackAll: () => {}, retryAll: () => {} }, env);
        await deliverWorn(...messages);
        delays.push(...queued.splice(0).map(({ delaySeconds }) => delaySeconds));
      }
      expect(delays).toHaveLength(60);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...delays)).toBeLessThanOrEqual(most);
      expect(new Set(delays).size).toBeGreaterThan(1);
    }
  });

  it("is answered by one request for a batch, with the tasks' accounts and waiting times", async () => {
    const asked = vi.fn(full);
    inference.room = asked;
    await deliver(QUEUE, ...messages);
    expect(asked).toHaveBeenCalledOnce();
    const waiting = {
      lane: "bulk",
      type: "image",
      account: client.accountId,
      acceptedAt: expect.any(Number),
    };
    expect(asked).toHaveBeenCalledWith(messages.map(() => waiting));
  });

  it("stays in its queue if the queue takes no new message", async () => {
    inference.room = full;
    vi.spyOn(Queues.prototype, "sendLater").mockRejectedValueOnce(new Error("the queue is down"));
    expect(await deliverWorn(...messages)).toMatchObject({
      explicitAcks: [],
      retryMessages: { length: 6 },
    });
  });
});

describe("a task for which there is room", () => {
  it("is offered, and only the others of its batch are put off", async () => {
    inference.room = (tasks) => Response.json({ room: tasks.map((_, i) => i % 3 === 0) });
    await deliverWorn(...messages);
    expect(inference.tasks.map(({ key }) => key.split(".").slice(1, 3).join("."))).toEqual(
      [0, 3].map((i) => at(messages, i).taskId),
    );
    expect(queued.map(({ body }) => body.taskId)).toEqual([1, 2, 4, 5].map((i) => at(messages, i).taskId));
  });

  it("is offered to a service that does not know the question", async () => {
    await deliver(QUEUE, at(messages, 0));
    expect(inference.tasks).toHaveLength(1);
  });
});
