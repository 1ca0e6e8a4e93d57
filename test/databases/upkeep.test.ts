import { createScheduledController } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { newClient } from "../support/worker/client/api.ts";
import { CRONS, logged, runUpkeep } from "../support/worker/runtime/crons.ts";
import { deliverIn } from "../support/worker/fakes/inference.ts";
import {
  database,
  databaseThrough,
  inDatabase,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";

useDatabases(3);

const runCron = (cron: string, environment: Env) =>
  worker.scheduled(createScheduledController({ cron }), environment);

/** The Worker with a queue that keeps its messages, or fails. */
function withQueue(sendBatch: (messages: Iterable<{ body: object }>) => Promise<void>): Env {
  return withDatabases(3, Object.fromEntries([["UPKEEP_QUEUE", { sendBatch }]]));
}

/** Leaves rows that the hourly sweep deletes. Returns their number. */
async function plantStale(name: string): Promise<() => Promise<number | null>> {
  const { accountId } = await inDatabase(name, () => newClient("paid"));
  const db = database(name);
  const sql = "INSERT INTO upload_bytes (account_id, hour, bytes) VALUES (?1, 1, 1)";
  await db.prepare(sql).bind(accountId).run();
  return () => db.prepare("SELECT count(*) AS n FROM upload_bytes WHERE hour = 1").first<number>("n");
}

describe("a cron", () => {
  it.each(Object.entries(CRONS))(
    "asks for the upkeep of each database (%s), and does none itself",
    async (_, cron) => {
      const sent: object[] = [];
      const environment = withQueue(
        async (messages) => void sent.push(...[...messages].map(({ body }) => body)),
      );
      const stale = await plantStale("DB_2");
      await runCron(cron, environment);
      expect(sent).toEqual(["DB", "DB_2", "DB_3"].map((name) => ({ v: 1, cron, database: name })));
      expect(await stale()).toBe(1);
      // Twice and at once, as a queue may deliver.
      const deliveries = [...sent, ...sent].map((body) =>
        deliverIn(environment, "segmentation-upkeep", body),
      );
      for (const { explicitAcks } of await Promise.all(deliveries)) expect(explicitAcks).toHaveLength(1);
      if (cron === CRONS.sweep) expect(await stale()).toBe(0);
    },
  );

  it("reports a failing queue, and still reads the gauges", async () => {
    const lines = logged();
    await runCron(
      CRONS.report,
      withQueue(() => Promise.reject(new Error("the queue is away"))),
    );
    const events = lines().map(({ event }) => event);
    expect(events).toContain("send_failed");
    expect(events.filter((event) => event === "database_gauges")).toHaveLength(3);
  });
});

describe("a message of upkeep", () => {
  it("is delivered again if it cannot be handled: there is no such database any more", async () => {
    logged();
    const { explicitAcks, retryMessages } = await runUpkeep(CRONS.sweep, "DB_9", withDatabases(3));
    expect([explicitAcks, retryMessages]).toMatchObject([[], [{ msgId: "m0" }]]);
  });

  it("does its work while another database never answers", async () => {
    const never = databaseThrough(database("DB_3"), () => new Promise(() => {}));
    const environment = withDatabases(3, { DB_3: never });
    const stale = await plantStale("DB_2");
    void runUpkeep(CRONS.sweep, "DB_3", environment);
    expect((await runUpkeep(CRONS.sweep, "DB_2", environment)).explicitAcks).toHaveLength(1);
    expect(await stale()).toBe(0);
  });
});
