import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { WebhookDeliveryList, type WebhookDelivery } from "../../../src/webhooks/contract/webhook.ts";
import { mapPool } from "../../../src/shared/pool.ts";
import { RETRY_DELAYS_MS } from "../../../src/webhooks/rules/delivery.ts";
import { FIRST_AT_A_TIME } from "../../../src/webhooks/rules/pace.ts";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { finishJob, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import {
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  type TestEndpoint,
  verified,
} from "../../support/worker/fakes/webhooks.ts";
import { shownEndpoint } from "../../support/worker/fixtures/webhook-endpoint.ts";

const JOBS = 1_000;
const THIRD = Math.ceil(JOBS / 3);
const DAY = 86_400_000;
/** Duration of one attempt at the slow endpoint, in real milliseconds: enough for others to come in between. */
const SLOW_MS = 2;
/** Longer than the test's run. */
const UNTIL_KILLED_MS = 14_000;

async function allDeliveries(client: Client, { endpointId }: TestEndpoint): Promise<WebhookDelivery[]> {
  const all: WebhookDelivery[] = [];
  for (let nextToken: string | null = ""; nextToken !== null;) {
    const query = nextToken === "" ? "" : `&nextToken=${nextToken}`;
    const path = `/v1/webhook-endpoints/${endpointId}/deliveries?limit=100${query}`;
    const page = WebhookDeliveryList.parse((await client.send("GET", path)).body);
    all.push(...page.items);
    ({ nextToken } = page);
  }
  return all;
}

const countDeliveries = ({ endpointId }: TestEndpoint): Promise<unknown> =>
  runInDurableObject(env.WEBHOOKS.getByName(endpointId), (_, { storage }) =>
    storage.sql.exec("SELECT count(*) AS n FROM deliveries").one(),
  );

const jobIdOf = ({ event }: WebhookDelivery): string =>
  "jobId" in event.data ? event.data.jobId : `the job of a ${event.type}`;

describe(`${JOBS} jobs with two endpoints, one slow, one dead, and everything killed twice in between`, () => {
  it("each arrives at the slow one under one webhook-id; the dead one is retried as planned and disabled after five days; neither delays anything [A3-15 A3-18 A3-19]", async () => {
    const client = await newClient();
    const slow = await newEndpoint(client, "https://slow.test/");
    const dead = await newEndpoint(client, "https://dead.test/");
    const inference = new FakeInference();
    const endpoints = new FakeEndpoints(slow, dead);
    let slowMs = UNTIL_KILLED_MS;
    endpoints.answer(slow, async () => {
      await scheduler.wait(slowMs);
      return new Response(null, { status: 204 });
    });
    const death = Promise.withResolvers<never>();
    endpoints.answer(dead, () => death.promise);
    // The runtime's limiter counts by its clock, and these jobs come faster than an account's rate.
    vi.spyOn(home.platform.requestRate, "admits").mockResolvedValue(true);

    const jobIds: string[] = [];
    const endJobs = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        const { jobId, tasks } = await newJob(client);
        await finishJob(inference, client.accountId, jobId, tasks);
        jobIds.push(jobId);
      }
    };
    /** Wakes all jobs. Resolves when both endpoints' objects have all events, which no alarm waits for. */
    const wakeAll = async () => {
      await mapPool(jobIds, 6, ring);
      for (const endpoint of [slow, dead])
        await expect.poll(() => countDeliveries(endpoint)).toEqual({ n: jobIds.length });
    };

    // Killed while the last of these events are on their way to the endpoints' objects.
    await endJobs(THIRD);
    await abortAllDurableObjects();
    await endJobs(THIRD);
    await wakeAll();

    // Killed in the middle of the slow one's attempts.
    const ringing = ringEndpoint(slow);
    await vi.waitFor(() => expect(endpoints.of(slow)).toHaveLength(FIRST_AT_A_TIME), PATIENT);
    await abortAllDurableObjects();
    await expect(ringing).rejects.toThrow();
    slowMs = SLOW_MS;

    // The dead endpoint is in its first run, without an answer, while the last jobs end and the slow one is notified of all.
    const dying = ringEndpoint(dead);
    await vi.waitFor(() => expect(endpoints.of(dead)).toHaveLength(FIRST_AT_A_TIME), PATIENT);
    await endJobs(JOBS - 2 * THIRD);
    await wakeAll();
    const { body } = await client.send("GET", "/v1/jobs?status=success&limit=100");
    expect(body.items).toHaveLength(Math.min(JOBS, 100));
    await ringEndpoint(slow);
    expect(endpoints.of(slow)).toHaveLength(JOBS);
    // Detects interrupted attempts first, and then tries again.
    for (let rounds = 0; rounds < 2; rounds += 1) {
      later(60_000);
      await ringEndpoint(slow);
    }
    expect(endpoints.of(slow)).toHaveLength(JOBS + FIRST_AT_A_TIME);
    expect(endpoints.of(dead)).toHaveLength(FIRST_AT_A_TIME);
    const received = endpoints.of(slow);
    const idsOf = Map.groupBy(received, (request) => {
      const { data } = verified(slow.secret, { ...request, headers: request.headers });
      return "jobId" in data ? data.jobId : "";
    });
    expect([...idsOf.keys()].toSorted()).toEqual(jobIds.toSorted());
    for (const [jobId, requests] of idsOf)
      expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, jobId).toBe(1);
    const toSlow = await allDeliveries(client, slow);
    expect(toSlow.map(({ status }) => status)).toEqual(jobIds.map(() => "succeeded"));

    // The dead endpoint, at its pace.
    endpoints.answer(dead, () => {
      throw new Error("Network connection lost.");
    });
    death.reject(new Error("Network connection lost."));
    await dying;
    await ringEndpoint(dead);
    for (const delay of RETRY_DELAYS_MS) {
      later(1.1 * delay + 1);
      await ringEndpoint(dead);
    }
    const toDead = await allDeliveries(client, dead);
    expect(toDead.map(jobIdOf).toSorted()).toEqual(jobIds.toSorted());
    for (const { status, attempts } of toDead) {
      expect({ status, attempts: attempts.length }).toEqual({ status: "failed", attempts: 10 });
      const times = attempts.map(({ attemptedAt }) => Date.parse(attemptedAt));
      for (const [i, planned] of RETRY_DELAYS_MS.entries())
        expect((times[i + 1] ?? 0) - (times[i] ?? Infinity)).toBeGreaterThanOrEqual(planned);
    }
    expect((await shownEndpoint(client, dead)).disabled).toBe(false);
    later(5 * DAY - 1.1 * RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0));
    await ringEndpoint(dead);
    expect(await shownEndpoint(client, dead)).toMatchObject({ disabled: true, disabledReason: "no_success" });
    expect(await shownEndpoint(client, slow)).toMatchObject({ disabled: false });
  }, 3_600_000);
});
