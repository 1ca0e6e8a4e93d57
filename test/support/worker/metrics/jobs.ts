import { expect, vi } from "vitest";
import type { MetricName } from "../../../../src/shared/metrics.ts";
import { cancelJob } from "../../../../src/operator/operations/operate-jobs.ts";
import { send } from "../client/api.ts";
import { builderOf } from "../fixtures/archive-builders.ts";
import { deliverArchive, ring, successfulJob } from "../fixtures/archives.ts";
import { buildArchive } from "../../../../src/archives/operations/build-archive.ts";
import { home } from "../runtime/databases.ts";
import { callBack, deliver, FakeInference, success, taskMessage } from "../fakes/inference.ts";
import { newJob } from "../fixtures/jobs.ts";
import { later, PATIENT } from "../runtime/time.ts";
import { newEndpoint, FakeEndpoints, ringEndpoint, ringEndpointWith, sendTest } from "../fakes/webhooks.ts";
import { type Happening, type Metered, startedJob } from "./points.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function archiveOf({ client, points }: Metered): Promise<string> {
  const { jobId } = await successfulJob(client, 3);
  await client.send("POST", `/v1/jobs/${jobId}/download`, undefined, { "idempotency-key": jobId });
  points.length = 0;
  return jobId;
}

/** The metrics of requests, jobs, archives and webhooks. */
export const OF_JOBS = {
  request: async ({ client }) => {
    await client.send("GET", "/v1/account");
    await client.send("POST", "/v1/jobs", {});
    await send("PUT", "/v1/jobs/job_1");
    return [
      [["info", "getAccount", "200", ""], [0]],
      [["info", "createJob", "400", "invalid_request"], [0]],
      [["info", "PUT /v1/jobs/:jobId", "405", "method_not_allowed"], [0]],
    ];
  },
  job_started: async ({ client }) => {
    await startedJob(client);
    return [[["info", "interactive"], [4_000]]];
  },
  job_ended: async ({ client }) => {
    const { inference } = await startedJob(client);
    later(5_000);
    await callBack(inference.last, "complete", success());
    await callBack(inference.last, "complete", success());
    return [[["info", "interactive", "success"], [9_000]]];
  },
  job_canceled: async ({ client }) => {
    const { jobId } = await newJob(client, 2);
    for (let i = 0; i < 2; i += 1) await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    const other = await newJob(client);
    await cancelJob(home.platform, other.jobId);
    return [
      [["info", "account"], [2]],
      [["warn", "operator"], [1]],
    ];
  },
  job_purged: async ({ client, written }) => {
    const { jobId } = await successfulJob(client, 2);
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    await vi.waitUntil(() => written("job_purged").length > 0, PATIENT);
    later(2 * HOUR);
    await ring(jobId);
    return [
      [["info", "expired", "first"], [4]],
      [["info", "expired", "second"], [0]],
    ];
  },
  task_offered: async ({ client }) => {
    const { jobId, tasks } = await newJob(client, 4);
    const inference = new FakeInference();
    const bodies = tasks.map((taskId) => taskMessage(jobId, taskId));
    await deliver("segmentation-bulk", bodies[0] ?? {});
    inference.answer = () => Response.json({ error: "lane_full" }, { status: 429 });
    await deliver("segmentation-bulk", bodies[1] ?? {});
    inference.answer = () => Response.json({ error: "invalid_request" }, { status: 400 });
    await deliver("segmentation-bulk", bodies[2] ?? {});
    inference.silent = true;
    await deliver("segmentation-bulk", bodies[3] ?? {});
    return ["accepted", "busy", "refused", "unanswered"].map((outcome) => [["info", "bulk", outcome], [0]]);
  },
  tasks_put_off: async ({ client }) => {
    const { jobId, tasks } = await newJob(client, 3);
    const inference = new FakeInference();
    const waiting = { lane: "bulk", type: "image", account: client.accountId, acceptedAt: Date.now() };
    const bodies = tasks.map((taskId) => ({ v: 1, jobId, taskId, waiting }));
    inference.room = (asked) => Response.json({ room: asked.map((_, i) => i === 0) });
    await deliver("segmentation-bulk", ...bodies);
    inference.room = () => Response.error();
    await deliver("segmentation-bulk", ...bodies.slice(2));
    return [
      [["info", "bulk", "full"], [2]],
      [["warn", "bulk", "away"], [1]],
    ];
  },
  task_completed: async ({ client }) => {
    const { inference } = await startedJob(client);
    const problem = { code: "input_unreadable", message: "It cannot be read." };
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    return [
      [["info", "ended", "failed", "input_unreadable"], []],
      [["info", "repeated", "failed", "input_unreadable"], []],
    ];
  },
  lease_expired: async ({ client }) => {
    const { jobId } = await startedJob(client);
    later(10 * MINUTE);
    await ring(jobId);
    return [[["warn", "interactive"], []]];
  },
  archive_ended: async (metered) => {
    const jobId = await archiveOf(metered);
    later(8_000);
    await deliverArchive(jobId);
    await deliverArchive(jobId);
    return [[["info", "ready"], [8_000]]];
  },
  archive_unfinished: async (metered) => {
    await buildArchive(builderOf({ archiveSliceFiles: 1 }), await archiveOf(metered));
    return [[["info"], [0]]];
  },
  archive_built: async (metered) => {
    await deliverArchive(await archiveOf(metered));
    return [[["info"], [0, 1, 7, expect.toSatisfy((size) => Number(size) > 500)]]];
  },
  webhook_attempted: async ({ client }) => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint);
    await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 302 }));
    await ringEndpoint(endpoint);
    later(MINUTE);
    endpoints.answer(endpoint, () => new Response(null, { status: 200 }));
    await ringEndpoint(endpoint);
    return ["redirected", "delivered"].map((outcome) => [["info", "test", outcome], [0]]);
  },
  webhook_delivery_ended: async ({ client }) => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint);
    await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 500 }));
    await ringEndpoint(endpoint);
    later(MINUTE);
    endpoints.answer(endpoint, () => new Response(null, { status: 200 }));
    await ringEndpoint(endpoint);
    return [
      [
        ["info", "test", "succeeded"],
        [MINUTE, 2],
      ],
    ];
  },
  webhook_backlog: async ({ client }) => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint);
    const { event } = await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 500 }));
    await ringEndpoint(endpoint);
    later(MINUTE - 1);
    await ringEndpoint(endpoint);
    later(6 * MINUTE);
    endpoints.answer(endpoint, () => new Response(null, { status: 200 }));
    await ringEndpoint(endpoint);
    return [[["info"], [1, JSON.stringify(event).length]]];
  },
  webhook_deliveries_dropped: async ({ client }) => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 500 }));
    await sendTest(client, endpoint);
    await ringEndpointWith(endpoint, { MAX_WEBHOOK_BACKLOG_BYTES: "1" });
    await sendTest(client, endpoint);
    later(31 * DAY);
    await ringEndpoint(endpoint);
    return [
      [["error", "bytes"], [1]],
      [["warn", "age"], [1]],
    ];
  },
} satisfies Partial<Record<MetricName, Happening>>;
