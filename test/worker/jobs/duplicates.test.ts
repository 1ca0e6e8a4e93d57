import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Completion, TaskRequest } from "@segmentation/protocol";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { outputsPrefix } from "../../../src/shared/bucket/object-keys.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import {
  callBack,
  deliver,
  FakeInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { amount, Draw } from "../../support/worker/client/random.ts";

const JOBS = amount({ short: 3, long: 20 });
const MOST_TASKS = 3;
const MOST_DELIVERIES = 20;
/** As many as a consumer gets at once. */
const BATCH = 10;

interface Job {
  readonly client: Client;
  readonly jobId: string;
  readonly tasks: readonly string[];
}

/** A message or report of a job that comes again and again. */
type Arrival =
  | { readonly kind: "message"; readonly jobId: string; readonly taskId: string }
  | { readonly kind: "report"; readonly task: TaskRequest; readonly completion: Completion };

/** The deliveries of one message or report: 1 to 20 times. */
const copies = (draw: Draw, arrival: Arrival): Arrival[] =>
  Array.from({ length: 1 + draw.upTo(MOST_DELIVERIES - 1) }, () => arrival);

describe("many jobs, each message delivered 1 to 20 times in random order", () => {
  it("all end once: one task at the inference service, one settlement, one set of outputs each", async () => {
    const draw = new Draw();
    const inference = new FakeInference();
    const sent = vi.spyOn(Queues.prototype, "sendTasks").mockResolvedValue();
    const jobs: Job[] = [];
    const clients = [await newClient(), await newClient()];
    while (jobs.length < JOBS) {
      const client = draw.oneOf(clients);
      jobs.push({ client, ...(await newJob(client, 1 + draw.upTo(MOST_TASKS - 1))) });
    }
    const arrivals = draw.shuffled(
      sent.mock.calls.flatMap(([, jobId, taskIds]) =>
        taskIds.flatMap((taskId) => copies(draw, { kind: "message", jobId, taskId })),
      ),
    );

    while (arrivals.length > 0) {
      const taken = inference.tasks.length;
      await Promise.all(
        arrivals.splice(-BATCH).map(async (arrival) => {
          if (arrival.kind === "report") {
            const { status } = await callBack(arrival.task, "complete", arrival.completion);
            expect(status).toBe(204);
          } else {
            const { jobId, taskId } = arrival;
            await deliver("segmentation-bulk", taskMessage(jobId, taskId));
          }
        }),
      );
      for (const task of inference.tasks.slice(taken)) {
        for (const report of copies(draw, { kind: "report", task, completion: success() })) {
          arrivals.splice(draw.upTo(arrivals.length), 0, report);
        }
      }
    }

    const tasks = jobs.reduce((sum, job) => sum + job.tasks.length, 0);
    expect(inference.tasks, "each task runs once").toHaveLength(tasks);
    for (const { client, jobId, tasks: taskIds } of jobs) {
      expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("success");
      await env.JOBS.getByName(jobId).sync();
      expect(await entriesOf(jobId)).toEqual([
        ["reserve", taskIds.length],
        ["settle", taskIds.length],
        ["release", 0],
      ]);
      const { assets } = (await client.send("GET", `/v1/jobs/${jobId}/result`)).body;
      const prefix = outputsPrefix(client.accountId, jobId);
      expect(assets).toHaveLength(taskIds.length);
      expect(new URL(assets[0].url).pathname).toContain(`${prefix}${taskIds[0]}/`);
    }
  }, 3_600_000);
});
