import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { JobStorage } from "../../../../src/jobs/store/storage.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { ring } from "../../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
} from "../../../support/worker/fakes/inference.ts";
import { imageJob, listedJobs, newJob, uploads } from "../../../support/worker/fixtures/jobs.ts";
import { costOf, entriesOf, ledgerSize, useTokens } from "../../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { at, present } from "../../../support/at.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { later } from "../../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

describe("the ledger", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient("trial");
    inference = new FakeInference();
  });

  const trial = async () => (await client.send("GET", "/v1/account/overview")).body.trial;
  const listed = async (jobId: string) =>
    (await client.send("GET", `/v1/jobs?jobId=${jobId}`)).body.items[0]?.status;

  const down = () => Promise.reject(new Error("it is down"));

  it("reserves a job's images at its acceptance, and neither settles nor releases anything before its end [4.3-37]", async () => {
    const { jobId, taskId } = await newJob(client, 3);
    expect(await entriesOf(jobId)).toEqual([["reserve", 3]]);
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", success());
    later(5_000);
    await ring(jobId);
    expect(await listed(jobId)).toBe("processing");
    expect(await entriesOf(jobId)).toEqual([["reserve", 3]]);
    expect(await trial()).toMatchObject({ consumedTokens: 3, remainingTokens: 97, activeJobId: jobId });
  });

  it("settles all of a job that succeeded [4.3-37]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(inference, client.accountId, jobId, tasks);
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 2],
        ["settle", 2],
        ["release", 0],
      ]);
    expect(await trial()).toMatchObject({ consumedTokens: 2, remainingTokens: 98, activeJobId: null });
  });

  it("releases the failed tasks of a batch [4.3-37 3.1-9]", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    await finishJob(inference, client.accountId, jobId, tasks, (_, i) =>
      i === 1 ? success() : failure(false),
    );
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 3],
        ["settle", 1],
        ["release", 2],
      ]);
    expect(await listed(jobId)).toBe("success");
    expect((await trial()).consumedTokens).toBe(1);
  });

  it("releases all units of a failed job, which still began the trial [4.3-37]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 2],
        ["settle", 0],
        ["release", 2],
      ]);
    expect(await trial()).toMatchObject({ status: "active", consumedTokens: 0 });
  });

  it("releases tasks given up without an inference service", async () => {
    const { jobId } = await newJob(client, 2);
    later(DAY + 1);
    await ring(jobId);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 2],
      ["settle", 0],
      ["release", 2],
    ]);
  });

  it("counts one unit for a picture: a report of more is refused", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await deliverTask(jobId, at(tasks, 0));
    const report = success();
    const greedy = { ...report, output: { ...(report.outcome === "success" && report.output), units: 2 } };
    expect((await callBack(inference.last, "complete", greedy)).status).toBe(400);
    await callBack(inference.last, "complete", report);
    await deliverTask(jobId, at(tasks, 1));
    await callBack(inference.last, "complete", failure(false));
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 2],
        ["settle", 1],
        ["release", 1],
      ]);
  });

  it("settles once, though the end is reported twice and pushed again and again", async () => {
    const push = vi.spyOn(Jobs.prototype, "project");
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", success());
    await callBack(inference.last, "complete", success());
    await expect.poll(() => listed(jobId)).toBe("success");
    const settled = await entriesOf(jobId);
    const last = push.mock.lastCall?.[0];
    if (last === undefined) throw new Error("nothing was pushed");
    const { jobs } = home.platform;
    await Promise.all([
      jobs.project(last),
      jobs.project({ ...last, cost: costOf(0) }),
      jobs.retire(jobId, costOf(0), 1),
    ]);
    await jobs.withdraw(jobId, 1);
    expect(await entriesOf(jobId)).toEqual(settled);
  });

  it("settles later what could not be settled at once", async () => {
    const { jobId, tasks } = await newJob(client);
    const push = vi.spyOn(Jobs.prototype, "project").mockImplementation(down);
    await finishJob(inference, client.accountId, jobId, tasks);
    expect(await entriesOf(jobId)).toEqual([["reserve", 1]]);
    push.mockRestore();
    await evictDurableObject(env.JOBS.getByName(jobId));
    await ring(jobId);
    expect(await entriesOf(jobId)).toHaveLength(3);
  });

  it("voids the reservation of a job that was not accepted: no token is gone, and no trial begun", async () => {
    const tasks = await uploads(client, 3);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(502);
    const { results } = await home.DB.prepare("SELECT kind, units FROM ledger ORDER BY id").all();
    expect(results).toEqual([
      { kind: "reserve", units: 3 },
      { kind: "void", units: 3 },
    ]);
    expect(await trial()).toMatchObject({
      status: "eligible",
      consumedTokens: 0,
      startedAt: null,
      expiresAt: null,
    });

    later(5_000);
    const accepted = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expect(accepted.status).toBe(202);
    const { createdAt } = (await client.send("GET", `/v1/jobs/${accepted.body.jobId}`)).body;
    expect(await trial()).toMatchObject({ status: "active", consumedTokens: 3, startedAt: createdAt });
  });

  it("never takes back a voided job", async () => {
    const { jobId } = await newJob(client);
    const job = await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) =>
      new JobStorage(storage).load(),
    );
    if (job === null) throw new Error("there is no job");
    await env.JOBS.getByName(jobId).withdraw();
    const offer = { version: "v1", tokens: 100, days: 14 };
    const terms = {
      maxActiveJobs: 9,
      maxTrialBacklog: 1_000,
      maxUnitsPerDay: null,
      maxTasksPerDay: 100,
      maxMeteredUnits: null,
      files: 1,
      maxFilesPerDay: 1_000_000_000,
      units: 1,
      fund: "trial",
      offer,
    } as const;
    expect((await home.platform.jobs.insert(job.definition, terms)).listed).toBe(false);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 1],
      ["void", 1],
    ]);
  });

  it("is kept after a job has expired", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(inference, client.accountId, jobId, tasks, (_, i) =>
      i === 0 ? success() : failure(false),
    );
    await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
    const settled = await entriesOf(jobId);
    later(30 * DAY);
    await ring(jobId);
    expect(await listedJobs()).toBe(0);
    expect(await entriesOf(jobId)).toEqual(settled);
  });

  it("settles an ended job before its purge, even when no push had ever come through", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    const push = vi.spyOn(Jobs.prototype, "project").mockImplementation(down);
    await finishJob(inference, client.accountId, jobId, tasks, (_, i) =>
      i === 0 ? success() : failure(false),
    );
    later(30 * DAY);
    await ring(jobId);
    expect(push).toHaveBeenCalled();
    expect(await listedJobs()).toBe(0);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 2],
      ["settle", 1],
      ["release", 1],
    ]);
  });

  it("has no entries of a job accepted before the ledger, and lets it end", async () => {
    const { jobId, tasks } = await newJob(await newClient());
    await home.DB.exec("DROP TRIGGER ledger_is_not_erased; DELETE FROM ledger");
    const owner = await home.DB.prepare("SELECT account_id FROM jobs").first<string>("account_id");
    await finishJob(inference, present(owner, "owner"), jobId, tasks);
    await expect
      .poll(() => home.DB.prepare("SELECT status FROM jobs").first<string>("status"))
      .toBe("success");
    expect(await ledgerSize()).toBe(0);
  });

  it("is not rewritten", async () => {
    const { jobId } = await newJob(client);
    for (const statement of ["UPDATE ledger SET units = 0", "DELETE FROM ledger"]) {
      await expect(home.DB.prepare(statement).run()).rejects.toThrow("the ledger is append-only");
    }
    expect(await entriesOf(jobId)).toEqual([["reserve", 1]]);
  });

  describe("of jobs that come at once", () => {
    const PICTURES = 7;
    const outcomes = (answers: { status: number; body: { error?: string } }[]) =>
      Object.entries(Object.groupBy(answers, ({ status, body }) => `${status} ${body.error ?? ""}`.trim()))
        .map(([outcome, of]) => `${of?.length} × ${outcome}`)
        .toSorted((a, b) => a.localeCompare(b));

    it("accepts exactly as many jobs as tokens are left, with any number of requests [4.3-38]", async () => {
      overrideSettings({ TRIAL_MAX_ACTIVE_JOBS: 1_000 });
      await useTokens(client.accountId, 100 - PICTURES);
      const tasks = await uploads(client, 1);
      const answers = await Promise.all(
        Array.from({ length: 10 * PICTURES }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
      );
      expect(outcomes(answers)).toEqual(["63 × 402 trial_exhausted", "7 × 202"]);
      expect(await trial()).toMatchObject({ consumedTokens: 100, remainingTokens: 0, status: "exhausted" });
      expect(await listedJobs()).toBe(PICTURES);
      const left = answers.flatMap(({ body }) => ("trial" in body ? [body.trial.remainingTokens] : []));
      expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    it("accepts batches as long as they fit [4.3-38]", async () => {
      overrideSettings({ TRIAL_MAX_ACTIVE_JOBS: 1_000 });
      await useTokens(client.accountId, 93);
      const tasks = await uploads(client, 3);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
      );
      expect(outcomes(answers)).toEqual(["18 × 402 trial_insufficient", "2 × 202"]);
      expect((await trial()).remainingTokens).toBe(1);
    });
  });
});
