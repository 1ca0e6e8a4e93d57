import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { WebhookDelivery } from "../../../src/webhooks/contract/webhook.ts";
import type { NotedEvent } from "../../../src/jobs/rules/state.ts";
import { WebhookObject } from "../../../src/index.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { WebhookEndpoints } from "../../../src/webhooks/store/endpoints.ts";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { deliverArchive, ring } from "../../support/worker/fixtures/archives.ts";
import { failure, finishJob, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import {
  deliveriesOf,
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  type TestEndpoint,
  verified,
} from "../../support/worker/fakes/webhooks.ts";
import { at, only } from "../../support/at.ts";
import { home } from "../../support/worker/runtime/databases.ts";

const DAY = 86_400_000;

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  // Stops the clock, a day from now, until a test moves it: no alarm goes off by itself.
  later(DAY);
});

/** Creates a job and ends it. */
async function endedJob(completions = [success()]): Promise<string> {
  const { jobId, tasks } = await newJob(client, completions.length);
  await finishJob(inference, client.accountId, jobId, tasks, (_, i) => at(completions, i));
  return jobId;
}

async function endedArchive(jobId: string): Promise<void> {
  await client.send("POST", `/v1/jobs/${jobId}/download`);
  await deliverArchive(jobId);
}

/** Returns an endpoint's deliveries, once it has this many: they are handed over after the answer. */
const delivered = (endpoint: TestEndpoint, count: number): Promise<WebhookDelivery[]> =>
  vi.waitFor(async () => {
    const deliveries = await deliveriesOf(client, endpoint);
    expect(deliveries).toHaveLength(count);
    return deliveries;
  }, PATIENT);

const notedEvents = (jobId: string): Promise<NotedEvent[] | undefined> =>
  runInDurableObject(
    env.JOBS.getByName(jobId),
    (_, { storage }) => storage.kv.get<{ events?: NotedEvent[] }>("job")?.events,
  );

describe("an endpoint is notified", () => {
  it("of the end of a job with its status, and of the end of its archive without its URL [A3-12]", async () => {
    const endpoint = await newEndpoint(client);
    const jobId = await endedJob([success(), failure(false)]);
    await delivered(endpoint, 1);
    await endedArchive(jobId);
    const [archive, job] = await delivered(endpoint, 2);
    const { body: status } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(job?.event).toEqual({ type: "job.succeeded", timestamp: status.updatedAt, data: status });
    const { body: download } = await client.send("GET", `/v1/jobs/${jobId}/download`);
    const { downloadUrl, ...data } = download;
    expect(downloadUrl).toContain("https://");
    const timestamp = new Date(Date.parse(data.expiresAt) - DAY).toISOString();
    expect(archive?.event).toEqual({ type: "archive.ready", timestamp, data });
  });

  it("for a failed job and archive, and for a canceled job; not for a deleted one [A3-12]", async () => {
    const endpoint = await newEndpoint(client);
    await endedJob([failure(false)]);
    await delivered(endpoint, 1);
    const { jobId: canceled } = await newJob(client);
    await client.send("POST", `/v1/jobs/${canceled}/cancel`);
    await delivered(endpoint, 2);
    const { jobId: deleted } = await newJob(client);
    await client.send("DELETE", `/v1/jobs/${deleted}`);
    const jobId = await endedJob();
    await delivered(endpoint, 3);
    vi.spyOn(Media.prototype, "readSmall").mockRejectedValue(new Error("the bucket is away"));
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    for (let attempts = 0; attempts < 3; attempts += 1) {
      later(120_000);
      await ring(jobId);
      await deliverArchive(jobId);
    }
    const deliveries = await delivered(endpoint, 4);
    expect(deliveries.map(({ event }) => event.type).toReversed()).toEqual([
      "job.failed",
      "job.failed",
      "job.succeeded",
      "archive.failed",
    ]);
    expect(at(deliveries, 0).event.data).toMatchObject({ jobId, status: "failed" });
    expect(JSON.stringify(at(deliveries, 2).event)).toContain("canceled:");
  });

  it("only of its types, and nothing from before its creation, for others or while it is disabled [A3-13]", async () => {
    await endedJob();
    const wanting = await newEndpoint(client, "https://a.test/", { events: ["job.failed", "archive.ready"] });
    const all = await newEndpoint(client, "https://b.test/");
    const disabled = await newEndpoint(client, "https://c.test/");
    await client.send("PATCH", `/v1/webhook-endpoints/${disabled.endpointId}`, { disabled: true });
    const other = await newClient();
    const foreign = await newEndpoint(other);
    later(1_000);
    await endedJob();
    await endedJob([failure(false)]);
    expect((await delivered(all, 2)).map(({ event }) => event.type).toSorted()).toEqual([
      "job.failed",
      "job.succeeded",
    ]);
    expect((await delivered(wanting, 1)).map(({ event }) => event.type)).toEqual(["job.failed"]);
    await client.send("PATCH", `/v1/webhook-endpoints/${disabled.endpointId}`, { disabled: false });
    expect(await deliveriesOf(client, disabled)).toEqual([]);
    expect(await deliveriesOf(other, foreign)).toEqual([]);
  });

  it("as each of the account's endpoints is, under the same webhook-id, each signed with its own secret", async () => {
    const pair = [await newEndpoint(client, "https://a.test/"), await newEndpoint(client, "https://b.test/")];
    const endpoints = new FakeEndpoints(...pair);
    await endedJob();
    for (const endpoint of pair) {
      await delivered(endpoint, 1);
      await ringEndpoint(endpoint);
    }
    const [a, b] = pair.map((endpoint) => only(endpoints.of(endpoint)));
    expect(a?.headers["webhook-id"]).toBe(b?.headers["webhook-id"]);
    expect(a?.body).toBe(b?.body);
    for (const [i, request] of endpoints.received.entries())
      expect(verified(at(pair, i).secret, request)).toMatchObject({ type: "job.succeeded" });
  });
});

describe("an event", () => {
  it("is written down in the turn of the job's end: after an interruption the job's alarm reports it [A3-15]", async () => {
    const endpoint = await newEndpoint(client);
    const away = vi.spyOn(Jobs.prototype, "project").mockRejectedValue(new Error("the database is away"));
    const blind = vi
      .spyOn(WebhookEndpoints.prototype, "listeners")
      .mockRejectedValue(new Error("the database is away"));
    const jobId = await endedJob();
    const noted = only((await notedEvents(jobId)) ?? []);
    expect(noted).toMatchObject({ type: "job.succeeded", id: expect.stringMatching(/^evt_/) });
    await evictDurableObject(env.JOBS.getByName(jobId));

    away.mockRestore();
    blind.mockRestore();
    await ring(jobId);
    const { deliveryId } = only(await delivered(endpoint, 1));
    expect(deliveryId).toBe(noted.id);
    expect(await notedEvents(jobId)).toBeUndefined();
  });

  it("is handed over again until each endpoint's object has it, and is one delivery each anyway [A3-15]", async () => {
    const pair = [await newEndpoint(client, "https://a.test/"), await newEndpoint(client, "https://b.test/")];
    const [first, second] = pair.map(({ endpointId }) => endpointId);
    // oxlint-disable-next-line typescript/unbound-method -- called with the object itself below
    const { receive } = WebhookObject.prototype;
    const failing = vi.spyOn(WebhookObject.prototype, "receive").mockImplementation(async function (
      this: WebhookObject,
      endpointId,
      event,
      database,
    ) {
      if (endpointId === second) throw new Error("the object was reset");
      return receive.call(this, endpointId, event, database);
    });
    const jobId = await endedJob();
    await delivered(at(pair, 0), 1);
    expect(await notedEvents(jobId)).toHaveLength(1);
    await ring(jobId);
    await delivered(at(pair, 0), 1);
    failing.mockRestore();
    later(5_000);
    await ring(jobId);
    for (const endpoint of pair) await delivered(endpoint, 1);
    expect(first).not.toBe(second);
    await vi.waitFor(async () => expect(await notedEvents(jobId)).toBeUndefined(), PATIENT);
  });

  it("without an answering object holds up neither the job's list nor its archive [A3-19]", async () => {
    await newEndpoint(client);
    vi.spyOn(WebhookObject.prototype, "receive").mockImplementation(() => new Promise(() => {}));
    const jobId = await endedJob();
    await vi.waitFor(async () => {
      const { body } = await client.send("GET", "/v1/jobs");
      expect(body.items).toMatchObject([{ jobId, status: "success" }]);
    }, PATIENT);
    await endedArchive(jobId);
    expect((await client.send("GET", `/v1/jobs/${jobId}/download`)).body.status).toBe("ready");
    expect(await notedEvents(jobId)).toHaveLength(2);
  });

  it("cost no extra statement without endpoints, and leave nothing behind [A3-19]", async () => {
    const listeners = vi.spyOn(WebhookEndpoints.prototype, "listeners");
    const jobId = await endedJob();
    await vi.waitFor(async () => expect(await notedEvents(jobId)).toBeUndefined(), PATIENT);
    expect(listeners).not.toHaveBeenCalled();
  });

  it("is notified of a job that the list has lost, too", async () => {
    const endpoint = await newEndpoint(client);
    const { jobId, tasks } = await newJob(client);
    await home.DB.exec("DELETE FROM jobs");
    await finishJob(inference, client.accountId, jobId, tasks);
    expect(await delivered(endpoint, 1)).toMatchObject([
      { event: { type: "job.succeeded", data: { jobId } } },
    ]);
  });
});
