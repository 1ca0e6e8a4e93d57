import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { JobStatus } from "../../../../src/jobs/contract/job.ts";
import { MOST_STREAMS, STREAMS_HOLD_MS } from "../../../../src/jobs/rules/waiters.ts";
import { AccountStreams } from "../../../../src/jobs/object/account-streams.ts";
import type { EventReader } from "../../../support/event-stream.ts";
import { answerOf, type Client, newClient } from "../../../support/worker/client/api.ts";
import { logged } from "../../../support/worker/runtime/crons.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
} from "../../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../../support/worker/fixtures/jobs.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { askEvents, expectWaiters, openStream } from "../../../support/worker/fixtures/waiters.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

/** Shortens events to their type, their id, and the status. */
const short = (events: Awaited<ReturnType<EventReader["rest"]>>) =>
  events.map(({ event, id, data }) => [
    event,
    id,
    event === "progress" ? data : JobStatus.parse(data).status,
  ]);

describe("streamJobEvents 200", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient();
    inference = new FakeInference();
  });

  const retrieved = async (jobId: string): Promise<unknown> =>
    (await client.send("GET", `/v1/jobs/${jobId}`)).body;

  it("sends the job's status at once and at each change, and the last as `end`; then it closes [A1-5 A1-6]", async () => {
    const { jobId, tasks } = await newJob(client);
    const stream = await openStream(client, jobId);
    expect(await stream.next()).toEqual({ event: "status", id: "1", data: await retrieved(jobId) });
    await finishJob(inference, client.accountId, jobId, tasks);
    const events = await stream.rest();
    expect(short(events)).toEqual([
      ["status", "2", "processing"],
      ["end", "3", "success"],
    ]);
    expect(events.at(-1)?.data).toEqual(await retrieved(jobId));
    await expectWaiters(jobId, { waits: 0, streams: 0 });
  });

  it("sends what changes in a task, under the same version of the job [A1-6]", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    const stream = await openStream(client, jobId);
    const seen: unknown[] = [];
    for (const taskId of tasks) {
      await finishJob(inference, client.accountId, jobId, [taskId], () => failure(false));
      const event = await stream.next();
      if (event?.event === "progress") continue;
      seen.push([event?.id, ...JobStatus.parse(event?.data).tasks.map(({ status }) => status)]);
    }
    expect(seen).toContainEqual(["2", "failed", "queued", "queued"]);
  });

  it("sends the job's progress, and of many reports at once the last [A1-7]", async () => {
    const { jobId, taskId } = await newVideoJob(client);
    await deliverTask(jobId, taskId);
    const stream = await openStream(client, jobId);
    for (let done = 1; done <= 9; done += 1) await callBack(inference.last, "progress", { done, total: 10 });
    const progress: unknown[] = [];
    while (JSON.stringify(progress.at(-1)) !== '{"progress":0.9}') {
      const event = await stream.next();
      if (event?.event === "progress") progress.push(event.data);
    }
    expect(progress.length).toBeLessThan(9);
  });

  it("sends the status of a job that has ended, and then the end [A1-8]", async () => {
    const { jobId, tasks } = await newJob(client);
    await finishJob(inference, client.accountId, jobId, tasks);
    const events = await (await openStream(client, jobId)).rest();
    expect(short(events)).toEqual([
      ["status", null, "success"],
      ["end", "3", "success"],
    ]);
  });

  it("continues by Last-Event-ID after a broken connection, with later changes and one end [A1-9]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    const broken = await openStream(client, jobId);
    await broken.next();
    await broken.cancel();
    await finishJob(inference, client.accountId, jobId, tasks.slice(0, 1));
    const stream = await openStream(client, jobId, broken.lastEventId);
    expect(await stream.next()).toEqual({ event: "status", id: "2", data: await retrieved(jobId) });
    await finishJob(inference, client.accountId, jobId, tasks.slice(1));
    expect(short(await stream.rest()).at(-1)).toEqual(["end", "3", "success"]);
    expect((await askEvents(client, jobId, stream.lastEventId)).status).toBe(204);
  });

  it("outlives the JobObject, by Last-Event-ID: no `end` is lost or repeated [A1-9]", async () => {
    const { jobId, tasks } = await newJob(client);
    const broken = await openStream(client, jobId);
    const first = await broken.next();
    await abortAllDurableObjects();
    await expect(broken.rest()).rejects.toThrow();

    await finishJob(inference, client.accountId, jobId, tasks);
    const stream = await openStream(client, jobId, broken.lastEventId);
    const events = [...(first === null ? [] : [first]), ...(await stream.rest())];
    expect(events.filter(({ event }) => event === "end")).toHaveLength(1);
    await abortAllDurableObjects();
    expect((await askEvents(client, jobId, stream.lastEventId)).status).toBe(204);
  });

  it("ends with the job that its account cancels [A1-8]", async () => {
    const { jobId } = await newJob(client, 2);
    const stream = await openStream(client, jobId);
    await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    expect(short(await stream.rest())).toEqual([
      ["status", "1", "queued"],
      ["end", "2", "failed"],
    ]);
  });

  it("closes without an `end` if the job is deleted, and then there is no such job [A1-8]", async () => {
    const { jobId } = await newJob(client);
    const stream = await openStream(client, jobId);
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    expect(short(await stream.rest())).toEqual([["status", "1", "queued"]]);
    expectError(await answerOf(await askEvents(client, jobId, "1")), 404, "job_not_found");
  });

  it("sends a comment when it has sent nothing for 15 seconds, and closes after an hour [A1-10]", async () => {
    const { jobId } = await newJob(client);
    const stream = await openStream(client, jobId);
    await stream.next();
    const next = stream.next();
    const wake = () => env.JOBS.getByName(jobId).wake();
    later(14_000);
    await wake();
    expect(stream.comments).toBe(0);
    later(1_001);
    await wake();
    await expect.poll(() => stream.comments).toBe(1);
    later(3_600_000);
    await wake();
    expect(await next).toBeNull();
    await expectWaiters(jobId, { waits: 0, streams: 0 });
  });

  it("gives its place back after an hour, although its client reads nothing and has not gone", async () => {
    const { jobId } = await newJob(client);
    const { setTimeout: wait } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation((act: () => void, ms?: number) =>
      wait(act, ms === 3_600_000 ? 1 : ms),
    );
    await openStream(client, jobId);
    await expectWaiters(jobId, { waits: 0, streams: 0 });
  });

  it("is not opened for a HEAD request, which gets its headers", async () => {
    const { jobId } = await newJob(client);
    const head = await client.send("HEAD", `/v1/jobs/${jobId}/events`);
    expect([head.status, head.headers.get("content-type"), head.body]).toEqual([
      200,
      "text/event-stream",
      null,
    ]);
    await expectWaiters(jobId, { waits: 0, streams: 0 });
    expect((await client.send("HEAD", `/v1/jobs/job_${"0".repeat(32)}/events`)).status).toBe(404);
  });
});

describe("streamJobEvents 204", () => {
  it("answers a client that has the `end`, so it stops connecting; and no other [A1-9]", async () => {
    const client = await newClient();
    const { jobId, tasks } = await newJob(client);
    expect((await askEvents(client, jobId, "1")).status).toBe(200);
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    const { lastEventId } = await openStream(client, jobId).then(async (stream) => {
      await stream.rest();
      return stream;
    });
    const heard = await askEvents(client, jobId, lastEventId);
    expect([heard.status, await heard.text()]).toEqual([204, ""]);
    for (const other of ["", "0", "2", "4", "x".repeat(8_000)])
      expect((await askEvents(client, jobId, other)).status, other).toBe(200);
    expect((await askEvents(await newClient(), jobId, lastEventId)).status).toBe(404);
  });
});

describe("streamJobEvents 429", () => {
  const openAll = (client: Client, jobId: string, count: number): Promise<EventReader[]> =>
    Promise.all(Array.from({ length: count }, () => openStream(client, jobId)));
  const expectRefused = async (client: Client, jobId: string, whose: string): Promise<void> => {
    const answer = await answerOf(await askEvents(client, jobId));
    expectError(answer, 429, "too_many_streams");
    expect(answer.body.message).toContain(whose);
    expect([answer.body.retryAfterSeconds, answer.headers.get("retry-after")]).toEqual([30, "30"]);
  };
  /** Opens streams on other jobs, and leaves room for `room`. */
  const otherStreams = (client: Client, room: number): Promise<boolean> =>
    env.STREAMS.getByName(client.accountId).say("others", MOST_STREAMS.account - room);

  it("refuses a job's eleventh stream, until one of the ten is gone [A1-11]", async () => {
    const client = await newClient();
    const [{ jobId }, other] = [await newJob(client), await newJob(client)];
    const [first] = await openAll(client, jobId, MOST_STREAMS.job);
    await expectRefused(client, jobId, "The job has 10");
    await openStream(client, other.jobId);
    await first?.cancel();
    await expectWaiters(jobId, { waits: 0, streams: 9 });
    await openStream(client, jobId);
    await expectRefused(client, jobId, "The job has 10");
  });

  it("refuses an account's hundred and first stream, until one of the hundred is gone; others may continue [A1-11]", async () => {
    const client = await newClient();
    const [one, two] = [await newJob(client), await newJob(client)];
    await otherStreams(client, 4);
    const [first] = [...(await openAll(client, one.jobId, 2)), ...(await openAll(client, two.jobId, 2))];
    await expectRefused(client, two.jobId, "The account has 100");
    const stranger = await newClient();
    await openStream(stranger, (await newJob(stranger)).jobId);
    await first?.cancel();
    await expectWaiters(one.jobId, { waits: 0, streams: 1 });
    await vi.waitFor(() => openStream(client, two.jobId));
    await expectRefused(client, one.jobId, "The account has 100");
  });

  it("forgets a dead object's streams, at the latest when its report expires [A1-11]", async () => {
    const client = await newClient();
    const [one, two] = [await newJob(client), await newJob(client)];
    await otherStreams(client, 2);
    const streams = await openAll(client, one.jobId, 2);
    await abortAllDurableObjects();
    for (const stream of streams) await expect(stream.rest()).rejects.toThrow();
    await expectRefused(client, two.jobId, "The account has 100");
    later(STREAMS_HOLD_MS);
    await openAll(client, two.jobId, 2);
  });

  it("does not refuse the streams of an object that has reported again how many there are, or of a job that has ended", async () => {
    const client = await newClient();
    const [one, two] = [await newJob(client), await newJob(client)];
    await finishJob(new FakeInference(), client.accountId, two.jobId, two.tasks);
    await otherStreams(client, 2);
    await openAll(client, one.jobId, 2);
    expect((await openStream(client, two.jobId).then((stream) => stream.rest())).at(-1)?.event).toBe("end");
    await abortAllDurableObjects();
    await openAll(client, one.jobId, 2);
  });

  it("refuses no stream when the account's count can't be reached, and alerts the operator", async () => {
    const client = await newClient();
    const { jobId } = await newJob(client);
    const lines = logged();
    vi.spyOn(AccountStreams.prototype, "say").mockRejectedValue(new Error("the object is overloaded"));
    await openStream(client, jobId);
    expect(lines().map(({ event }) => event)).toContain("streams_uncounted");
  });

  it("leaves nothing behind: an account's count is gone with its last stream, or soon after it was lost", async () => {
    const client = await newClient();
    const { jobId } = await newJob(client);
    const count = () => env.STREAMS.getByName(client.accountId);
    const stored = () => runInDurableObject(count(), (_, { storage }) => [...storage.kv.list()].length);
    const stream = await openStream(client, jobId);
    expect(await stored()).toBe(1);
    await stream.cancel();
    await expect.poll(stored).toBe(0);

    await openStream(client, jobId);
    await abortAllDurableObjects();
    expect(await stored()).toBe(1);
    later(STREAMS_HOLD_MS);
    expect(await runDurableObjectAlarm(count())).toBe(true);
    expect(await stored()).toBe(0);
    expect(await runDurableObjectAlarm(count())).toBe(false);
  });
});
