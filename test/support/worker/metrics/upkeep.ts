import { expect, vi } from "vitest";
import type { MetricName } from "../../../../src/shared/metrics.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { Uploads } from "../../../../src/uploads/store/uploads.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { newClient } from "../client/api.ts";
import { ring, successfulJob } from "../fixtures/archives.ts";
import { CRONS, runCron } from "../runtime/crons.ts";
import { home } from "../runtime/databases.ts";
import { deliver } from "../fakes/inference.ts";
import { imageJob, newJob, presign, uploaded } from "../fixtures/jobs.ts";
import { makeCustomer, settledJob, useUnits } from "../fixtures/ledger.ts";
import { FakeStripe } from "../fakes/stripe.ts";
import { later } from "../runtime/time.ts";
import { type Happening, type Row, startedJob } from "./points.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function use(units: number): Promise<void> {
  await home.DB.prepare(
    "INSERT INTO meter_events (identifier, customer_id, units, at, closes_at) VALUES ('job_1', 'cus_1', ?1, ?2, ?2)",
  )
    .bind(units, Date.now())
    .run();
}

/** The metrics of the gauges and of the crons. */
export const OF_UPKEEP = {
  lane_gauges: async ({ client }) => {
    const { jobId } = await startedJob(client);
    await newJob(client, 3);
    later(7_000);
    // The list knows by now that it has begun.
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
  database_gauges: async ({ client, points, written }) => {
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
    // The other databases are empty.
    points.splice(0, points.length, ...points.filter(({ blobs = [] }) => blobs[1] === home.name));
    return [
      [
        ["info", home.name],
        [expect.toSatisfy((bytes) => Number(bytes) > 50_000), 1, 1, 1, 0, expect.closeTo(3_600, -2)],
      ],
    ];
  },
  database_failed: async ({ client }) => {
    vi.spyOn(Jobs.prototype, "list").mockRejectedValue(new Error("D1_ERROR: Exceeded maximum DB size"));
    await client.send("GET", "/v1/jobs");
    return [[["error", home.name, "full"], [1]]];
  },
  usage_reported: async ({ points }) => {
    const stripe = new FakeStripe();
    stripe.has("cus_1");
    await use(3);
    later(20_000);
    await runCron(CRONS.report);
    await runCron(CRONS.report);
    expect(stripe.calls.length).toBeGreaterThan(0);
    // One per database, in any order.
    points.sort((a, b) => (b.doubles?.[0] ?? 0) - (a.doubles?.[0] ?? 0));
    const others = Array.from({ length: 2 * home.platform.databases.length - 1 }, (): Row => [
      ["info"],
      [0, 0, 0],
    ]);
    return [[["info"], [1, 1, 20]], ...others];
  },
  account_owes: async () => {
    const client = await newClient("trial");
    await makeCustomer(client.accountId, "active");
    await home.DB.prepare("UPDATE accounts SET credit_units = 10 WHERE id = ?1").bind(client.accountId).run();
    await useUnits(client.accountId, 7, Date.now());
    await runCron(CRONS.sweep);
    return [[["info"], [7, 70]]];
  },
  account_uncharged: async ({ client }) => {
    const { tasks, jobId } = await newJob(client, 3);
    await newJob(client);
    await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    expect(tasks).toHaveLength(3);
    await runCron(CRONS.sweep);
    return [[["info"], [3, 0]]];
  },
  books_closed: async ({ client }) => {
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
  uploads_inspected: async ({ client }) => {
    await presign(client);
    later(2 * HOUR);
    await runCron(CRONS.report);
    return [[["info"], [1, 1, expect.toSatisfy((lateMs) => lateMs > HOUR && lateMs < 2 * HOUR), 0]]];
  },
  sizes_noted: async ({ client }) => {
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
  upload_gauges: async ({ client }) => {
    await presign(client);
    await presign(client);
    later(6 * MINUTE + 20_000);
    vi.spyOn(Uploads.prototype, "dueForInspection").mockRejectedValue(new Error("the inspection is away"));
    await runCron(CRONS.report);
    return [[["info"], [2, 20]]];
  },
  uploads_swept: async ({ client }) => {
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
    // One per database.
    const { databases } = home.platform;
    return ["17 * * * *", "43 3 * * *", "*/5 * * * *"].flatMap((cron) =>
      databases.map((): Row => [["info", cron], [0]]),
    );
  },
} satisfies Partial<Record<MetricName, Happening>>;
