import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputsPrefix } from "../../../src/shared/bucket/object-keys.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { listedJobs } from "../../support/worker/fixtures/jobs.ts";
import { amount } from "../../support/worker/client/random.ts";
import { anyEvent, type Event } from "../../support/worker/whole-job/events.ts";
import { Stage } from "../../support/worker/whole-job/stage.ts";

const MOST_TASKS = 3;
const EVENTS = 50;
const RETENTION_MS = 30 * 86_400_000;

const anyJob = fc.integer({ min: 1, max: MOST_TASKS }).chain((tasks) =>
  fc.record({
    tasks: fc.constant(tasks),
    events: fc.array(anyEvent(tasks), { minLength: EVENTS, maxLength: EVENTS }),
  }),
);

/** Restores all parts, and lets each remaining task succeed: the job has to end. */
async function comeToAnEnd(stage: Stage): Promise<void> {
  stage.end("database");
  stage.end("queues");
  for (let i = 0; i < stage.taskIds.length; i += 1) {
    if (stage.model.isOffered(i)) {
      await stage.message(i, "takes it");
      await stage.finishLast();
    }
    while (stage.model.task(i).end === null) await stage.time(61_000);
  }
  await stage.compare();
  expect(stage.model.hasEnded).toBe(true);
}

async function play({ tasks, events }: { tasks: number; events: readonly Event[] }): Promise<void> {
  const client = await newClient();
  const stage = await Stage.open(client, tasks);
  for (const event of events) await stage.perform(event);
  await comeToAnEnd(stage);
  await stage.compareResult();
  await stage.compareCancellations();

  const { entries } = stage.model;
  await stage.time(RETENTION_MS);
  expect((await client.send("GET", `/v1/jobs/${stage.jobId}`)).status).toBe(404);
  expect(await listedJobs()).toBe(0);
  expect((await env.MEDIA.list({ prefix: outputsPrefix(client.accountId, stage.jobId) })).objects).toEqual(
    [],
  );
  expect(await entriesOf(stage.jobId)).toEqual(entries);
  await stage.expectForgotten();
}

describe("a whole job, with its object, list, ledger and bucket", () => {
  it("agrees with a model after each event in any order [A2-1]", async () => {
    await fc.assert(fc.asyncProperty(anyJob, play), {
      numRuns: amount({ short: 1, long: 40 }),
      seed: Number(env.SEED),
      // Shrinking a counterexample takes longer than finding it; the seed repeats it.
      endOnFailure: true,
    });
  }, 3_600_000);
});
