import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleInfo } from "../../../src/shared/log.ts";
import type { MetricName } from "../../../src/shared/metrics.ts";
import { platformOf } from "../../../src/platform.ts";
import { Gauges } from "../../../src/operator/store/gauges.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, success } from "../../support/worker/fakes/inference.ts";
import { OF_JOBS } from "../../support/worker/metrics/jobs.ts";
import { type Happening, type Metered, metered, startedJob } from "../../support/worker/metrics/points.ts";
import { OF_UPKEEP } from "../../support/worker/metrics/upkeep.ts";
import { isLong } from "../../support/worker/client/random.ts";

/** The events that cause each metric of the table. */
const WRITTEN: Readonly<Record<MetricName, Happening>> = { ...OF_JOBS, ...OF_UPKEEP };

let now: Metered;
beforeEach(async () => {
  now = await metered();
});

describe("each metric of the table is written", () => {
  it.each(Object.entries(WRITTEN))("%s", async (name, happens) => {
    const expected = await happens(now);
    expect(now.written(name)).toEqual(expected);
  });
});

describe("metrics", () => {
  it("count each warning and error under its event, by its level alone", async () => {
    vi.spyOn(Gauges.prototype, "lane").mockRejectedValue(new Error("the database is gone"));
    await runCron(CRONS.report);
    const { databases } = home.platform;
    expect(now.written("gauges_failed")).toEqual(databases.map(() => [["error"], []]));
    expect(now.written("cron_ended")).toHaveLength(databases.length);
  });

  it("of a job of one picture are eight points, with one for each request of its client and its service", async () => {
    const lines = logged();
    const { inference } = await startedJob(now.client);
    const file = { name: "masks/0.png", contentType: "image/png", size: 7, md5: "1B2M2Y8AsgTpgAmY7PhCfg==" };
    await callBack(inference.last, "outputs", { files: [file] });
    await callBack(inference.last, "complete", success());
    const names = now.points.flatMap(({ indexes: [name] = [] }) => (typeof name === "string" ? [name] : []));
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

  it("are those of every line, even if the log is sampled", async () => {
    onTestFinished(() => void sampleInfo(1));
    // Objects have separate platforms, which are made at first use.
    await startedJob(now.client);
    now.points.length = 0;
    platformOf(Object.assign({}, env, { LOG_INFO_ONE_IN: "1000000" }));
    const lines = logged();
    const { inference } = await startedJob(now.client);
    await callBack(inference.last, "complete", success());
    await runCron(CRONS.report);
    expect(now.written("job_ended")).toHaveLength(1);
    expect(now.written("request").length).toBeGreaterThan(2);
    const names = lines().map(({ event }) => event);
    expect(names).toContain("database_gauges");
    for (const name of ["request", "job_started", "job_ended", "task_offered"])
      expect(names).not.toContain(name);
  });

  it.runIf(isLong)("and has all lines of a drawn job in the log, and none of others", async () => {
    onTestFinished(() => void sampleInfo(1));
    sampleInfo(2);
    const lines = logged();
    const jobs: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      const { inference, jobId } = await startedJob(now.client);
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
    expect(await now.client.send("GET", "/v1/account")).toMatchObject({ status: 200 });
  });

  it("name no account, job, task, key or address", async () => {
    const { inference, jobId, taskId } = await startedJob(now.client);
    await callBack(inference.last, "complete", success());
    await now.client.send("GET", `/v1/jobs/${jobId}/result`);
    await runCron(CRONS.report);
    const text = JSON.stringify(now.points);
    expect(now.points.length).toBeGreaterThan(8);
    for (const secret of [now.client.accountId, now.client.key, jobId, taskId, "@"])
      expect(text).not.toContain(secret);
  });
});
