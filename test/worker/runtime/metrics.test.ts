import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleInfo } from "../../../src/shared/log.ts";
import type { MetricName } from "../../../src/shared/metrics.ts";
import { platformOf } from "../../../src/platform.ts";
import { cancelJob } from "../../../src/operator/operations/operate-jobs.ts";
import { Gauges } from "../../../src/operator/store/gauges.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { Uploads } from "../../../src/uploads/store/uploads.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { send, newClient, type Client } from "../../support/worker/client/api.ts";
import { builderOf } from "../../support/worker/fixtures/archive-builders.ts";
import { deliverArchive, ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { buildArchive } from "../../../src/archives/operations/build-archive.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import {
  callBack,
  deliver,
  deliverTask,
  PlayedInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob, presign, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { makeCustomer, settledJob, useUnits } from "../../support/worker/fixtures/ledger.ts";
import { PlayedStripe } from "../../support/worker/fakes/stripe.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import {
  newEndpoint,
  PlayedEndpoints,
  ringEndpoint,
  ringEndpointWith,
  sendTest,
} from "../../support/worker/fakes/webhooks.ts";

/** A data point as a reader of the table in Analytics Engine sees it. */
type Row = [blobs: readonly unknown[], doubles: readonly unknown[]];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let client: Client;
let points: AnalyticsEngineDataPoint[];
beforeEach(async () => {
  points = [];
  const { METRICS } = env;
  if (METRICS === undefined) throw new Error("wrangler.toml has no binding METRICS");
  vi.spyOn(METRICS, "writeDataPoint").mockImplementation((point) => {
    if (point !== undefined) points.push(point);
  });
  client = await newClient();
  // From here on the clock stands still until a test moves it.
  later(0);
});

/** What was written under this index. */
const written = (index: string): Row[] =>
  points
    .filter(({ indexes }) => indexes?.length === 1 && indexes[0] === index)
    .map(({ blobs = [], doubles = [] }) => [blobs, doubles]);

async function startedJob() {
  const inference = new PlayedInference();
  const job = await newJob(client);
  later(4_000);
  await deliverTask(job.jobId, job.taskId);
  return { ...job, inference };
}

async function archiveOf(): Promise<string> {
  const { jobId } = await successfulJob(client, 3);
  await client.send("POST", `/v1/jobs/${jobId}/download`, undefined, { "idempotency-key": jobId });
  points.length = 0;
  return jobId;
}

async function use(units: number): Promise<void> {
  await home.DB.prepare(
    "INSERT INTO meter_events (identifier, customer_id, units, at, closes_at) VALUES ('job_1', 'cus_1', ?1, ?2, ?2)",
  )
    .bind(units, Date.now())
    .run();
}

/** For each metric of the table, what has to happen, and the points that the Worker then writes. */
const WRITTEN: Readonly<Record<MetricName, () => Promise<readonly Row[]>>> = {
  request: async () => {
    await client.send("GET", "/v1/account");
    await client.send("POST", "/v1/jobs", {});
    await send("PUT", "/v1/jobs/job_1");
    return [
      [["info", "getAccount", "200", ""], [0]],
      [["info", "createJob", "400", "invalid_request"], [0]],
      [["info", "PUT /v1/jobs/:jobId", "405", "method_not_allowed"], [0]],
    ];
  },
  job_started: async () => {
    await startedJob();
    return [[["info", "interactive"], [4_000]]];
  },
  job_ended: async () => {
    const { inference } = await startedJob();
    later(5_000);
    await callBack(inference.last, "complete", success());
    await callBack(inference.last, "complete", success());
    return [[["info", "interactive", "success"], [9_000]]];
  },
  job_canceled: async () => {
    const { jobId } = await newJob(client, 2);
    for (let i = 0; i < 2; i += 1) await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    const other = await newJob(client);
    await cancelJob(home.platform, other.jobId);
    return [
      [["info", "account"], [2]],
      [["warn", "operator"], [1]],
    ];
  },
  job_purged: async () => {
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
  task_offered: async () => {
    const { jobId, tasks } = await newJob(client, 4);
    const inference = new PlayedInference();
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
  tasks_put_off: async () => {
    const { jobId, tasks } = await newJob(client, 3);
    const inference = new PlayedInference();
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
  task_completed: async () => {
    const { inference } = await startedJob();
    const problem = { code: "input_unreadable", message: "It cannot be read." };
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    await callBack(inference.last, "complete", { outcome: "failed", problem, retryable: false });
    return [
      [["info", "ended", "failed", "input_unreadable"], []],
      [["info", "repeated", "failed", "input_unreadable"], []],
    ];
  },
  lease_expired: async () => {
    const { jobId } = await startedJob();
    later(10 * MINUTE);
    await ring(jobId);
    return [[["warn", "interactive"], []]];
  },
  archive_ended: async () => {
    const jobId = await archiveOf();
    later(8_000);
    await deliverArchive(jobId);
    await deliverArchive(jobId);
    return [[["info", "ready"], [8_000]]];
  },
  archive_unfinished: async () => {
    await buildArchive(builderOf({ archiveTurnFiles: 1 }), await archiveOf());
    return [[["info"], [0]]];
  },
  archive_built: async () => {
    await deliverArchive(await archiveOf());
    return [[["info"], [0, 1, 7, expect.toSatisfy((size) => Number(size) > 500)]]];
  },
  webhook_attempted: async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new PlayedEndpoints(endpoint);
    await sendTest(client, endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 302 }));
    await ringEndpoint(endpoint);
    later(MINUTE);
    endpoints.answer(endpoint, () => new Response(null, { status: 200 }));
    await ringEndpoint(endpoint);
    return ["redirected", "delivered"].map((outcome) => [["info", "test", outcome], [0]]);
  },
  webhook_delivery_ended: async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new PlayedEndpoints(endpoint);
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
  webhook_backlog: async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new PlayedEndpoints(endpoint);
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
  webhook_deliveries_dropped: async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new PlayedEndpoints(endpoint);
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
  lane_gauges: async () => {
    const { jobId } = await startedJob();
    await newJob(client, 3);
    later(7_000);
    // The list has learned by now that it has begun.
    await ring(jobId);
    await newJob(client, 2);
    await runCron(CRONS.report);
    return [
      [
        ["info", "interactive"],
        [1, 1, 0, 0],
      ],
      [
        ["info", "bulk"],
        [2, 5, 2, 7],
      ],
      [
        ["info", "trial"],
        [0, 0, 0, 0],
      ],
    ];
  },
  database_gauges: async () => {
    const { jobId: stuck } = await newJob(client);
    await deliver("segmentation-dead-letters", { v: 1, jobId: stuck });
    const { jobId } = await successfulJob(client);
    vi.spyOn(Media.prototype, "deletePrefix").mockRejectedValue(new Error("the bucket is away"));
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    await presign(client);
    // An hour after the sweep should have deleted the upload.
    later(DAY + 2 * HOUR);
    await newJob(client);
    await runCron(CRONS.report);
    const { databases } = home.platform;
    expect(written("database_gauges").map(([[, name]]) => name)).toEqual(
      expect.arrayContaining([...databases]),
    );
    // Nothing is in the others.
    points = points.filter(({ blobs = [] }) => blobs[1] === home.name);
    return [
      [
        ["info", home.name],
        [expect.toSatisfy((bytes) => Number(bytes) > 50_000), 1, 1, 1, 0, expect.closeTo(3_600, -2)],
      ],
    ];
  },
  database_failed: async () => {
    vi.spyOn(Jobs.prototype, "list").mockRejectedValue(new Error("D1_ERROR: Exceeded maximum DB size"));
    await client.send("GET", "/v1/jobs");
    return [[["error", home.name, "full"], [1]]];
  },
  usage_reported: async () => {
    const stripe = new PlayedStripe();
    stripe.has("cus_1");
    await use(3);
    later(20_000);
    await runCron(CRONS.report);
    await runCron(CRONS.report);
    expect(stripe.calls.length).toBeGreaterThan(0);
    // One of each database, in any order.
    points.sort((a, b) => (b.doubles?.[0] ?? 0) - (a.doubles?.[0] ?? 0));
    const others = Array.from({ length: 2 * home.platform.databases.length - 1 }, (): Row => [
      ["info"],
      [0, 0, 0],
    ]);
    return [[["info"], [1, 1, 20]], ...others];
  },
  account_owes: async () => {
    client = await newClient("trial");
    await makeCustomer(client.accountId, "active");
    await home.DB.prepare("UPDATE accounts SET credit_units = 10 WHERE id = ?1").bind(client.accountId).run();
    await useUnits(client.accountId, 7, Date.now());
    await runCron(CRONS.sweep);
    return [[["info"], [7, 70]]];
  },
  account_uncharged: async () => {
    const { tasks, jobId } = await newJob(client, 3);
    await newJob(client);
    await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    expect(tasks).toHaveLength(3);
    await runCron(CRONS.sweep);
    return [[["info"], [3, 0]]];
  },
  books_closed: async () => {
    const endedAt = Date.now();
    await settledJob(client.accountId, { units: 1, fund: "paid", endedAt });
    await settledJob(client.accountId, { units: 2, fund: "paid", endedAt });
    await home.DB.exec(
      "INSERT INTO meter_events (identifier, customer_id, units, at, sent_at, closed_units) VALUES ('job_1', 'cus_1', 1, 0, 1, 1)",
    );
    later(20 * DAY);
    await runCron(CRONS.report);
    await runCron(CRONS.report);
    return [[["info"], [1, 2, 1]]];
  },
  uploads_inspected: async () => {
    await presign(client);
    later(2 * HOUR);
    await runCron(CRONS.report);
    return [[["info"], [1, 1, expect.toSatisfy((lateMs) => lateMs > HOUR && lateMs < 2 * HOUR), 0]]];
  },
  sizes_noted: async () => {
    const taskId = await presign(client);
    const key = inputKey(client.accountId, taskId);
    const object = { key, size: 7, eTag: "c846ff7a18f28c2e262116d6e8719ef0" };
    const eventTime = new Date().toISOString();
    later(4_000);
    await deliver("segmentation-uploads", {
      bucket: "segmentation-media",
      action: "PutObject",
      object,
      eventTime,
    });
    return [[["info"], [1, 4_000]]];
  },
  upload_gauges: async () => {
    await presign(client);
    await presign(client);
    later(6 * MINUTE + 20_000);
    vi.spyOn(Uploads.prototype, "dueForInspection").mockRejectedValue(new Error("the inspection is away"));
    await runCron(CRONS.report);
    return [[["info"], [2, 20]]];
  },
  uploads_swept: async () => {
    await presign(client);
    later(2 * DAY);
    const taskId = await uploaded(client);
    await client.send("POST", "/v1/jobs", imageJob([taskId]));
    await runCron(CRONS.sweep);
    return [[["info"], [1, 0]]];
  },
  cron_ended: async () => {
    await runCron(CRONS.sweep);
    await runCron(CRONS.nightly);
    await runCron(CRONS.report);
    // One of each database.
    const { databases } = home.platform;
    return ["17 * * * *", "43 3 * * *", "*/5 * * * *"].flatMap((cron) =>
      databases.map((): Row => [["info", cron], [0]]),
    );
  },
};

describe("each metric of the table is written", () => {
  it.each(Object.entries(WRITTEN))("%s", async (name, happens) => {
    const expected = await happens();
    expect(written(name)).toEqual(expected);
  });
});

describe("metrics", () => {
  it("count each warning and error under its event, by its level alone", async () => {
    vi.spyOn(Gauges.prototype, "lane").mockRejectedValue(new Error("the database is gone"));
    await runCron(CRONS.report);
    const { databases } = home.platform;
    expect(written("gauges_failed")).toEqual(databases.map(() => [["error"], []]));
    expect(written("cron_ended")).toHaveLength(databases.length);
  });

  it("of a job of one picture are eight points, with one for each request of its client and its service", async () => {
    const lines = logged();
    const { inference } = await startedJob();
    const file = { name: "masks/0.png", contentType: "image/png", size: 7, md5: "1B2M2Y8AsgTpgAmY7PhCfg==" };
    await callBack(inference.last, "outputs", { files: [file] });
    await callBack(inference.last, "complete", success());
    const names = points.flatMap(({ indexes: [name] = [] }) => (typeof name === "string" ? [name] : []));
    expect(names.toSorted()).toEqual([
      "job_ended",
      "job_started",
      "request",
      "request",
      "request",
      "request",
      "task_completed",
      "task_offered",
    ]);
    expect(lines()).toHaveLength(8);
  });

  it("are those of every line, also where the log is sampled", async () => {
    onTestFinished(() => void sampleInfo(1));
    // Objects have platforms of their own, which are made when they are first needed.
    await startedJob();
    points.length = 0;
    platformOf(Object.assign({}, env, { LOG_INFO_ONE_IN: "1000000" }));
    const lines = logged();
    const { inference } = await startedJob();
    await callBack(inference.last, "complete", success());
    await runCron(CRONS.report);
    expect(written("job_ended")).toHaveLength(1);
    expect(written("request").length).toBeGreaterThan(2);
    const names = lines().map(({ event }) => event);
    expect(names).toContain("database_gauges");
    for (const name of ["request", "job_started", "job_ended", "task_offered"])
      expect(names).not.toContain(name);
  });

  it("and all lines of a job are in the log if its id is drawn, and none if not", async () => {
    onTestFinished(() => void sampleInfo(1));
    sampleInfo(2);
    const lines = logged();
    const jobs: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      const { inference, jobId } = await startedJob();
      await callBack(inference.last, "complete", success());
      jobs.push(jobId);
    }
    const counts = jobs.map((jobId) => lines().filter((line) => line["jobId"] === jobId).length);
    expect(new Set(counts.filter((count) => count > 0)).size).toBeLessThanOrEqual(1);
  });

  it("fail no request when the platform takes no more points", async () => {
    const { METRICS } = env;
    if (METRICS !== undefined)
      vi.spyOn(METRICS, "writeDataPoint").mockImplementation(() => {
        throw new Error("too many data points");
      });
    expect(await client.send("GET", "/v1/account")).toMatchObject({ status: 200 });
  });

  it("name no account, job, task, key or address", async () => {
    const { inference, jobId, taskId } = await startedJob();
    await callBack(inference.last, "complete", success());
    await client.send("GET", `/v1/jobs/${jobId}/result`);
    await runCron(CRONS.report);
    const text = JSON.stringify(points);
    expect(points.length).toBeGreaterThan(8);
    for (const secret of [client.accountId, client.key, jobId, taskId, "@"])
      expect(text).not.toContain(secret);
  });
});
