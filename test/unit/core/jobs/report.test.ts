import { describe, expect, it } from "vitest";
import { requestArchive } from "../../../../src/core/jobs/archive.ts";
import { DEFAULT_POLICY as policy } from "../../../../src/core/jobs/policy.ts";
import { jobReport } from "../../../../src/core/jobs/report.ts";
import { claimTask, takeDueTasks } from "../../../../src/core/jobs/tasks.ts";
import { accepted, BEGIN, ended, failure, imageJob, SECOND, successfulJob } from "./a-job.ts";

describe("what an operator sees of a job", () => {
  it("is where each task is on its way, until when, in whose hands, and why it was tried again", () => {
    const prompts = ["a secret wish"];
    let job = ended(accepted(imageJob(["a", "b", "c"], { prompts })), "a", failure(true));
    job = claimTask(job, "b", policy, BEGIN).state;
    job = takeDueTasks(job, policy, BEGIN).state;
    const report = jobReport(job, BEGIN + SECOND, { waits: 3, streams: 2 });
    expect(report).toMatchObject({
      jobId: "job_1",
      accountId: "acct_1",
      type: "image",
      lane: "bulk",
      phase: "running",
      status: "processing",
      error: null,
      createdAt: BEGIN,
      updatedAt: job.updatedAt,
      version: job.version,
      projected: job.projected,
      unlistedAt: null,
      alarmAt: BEGIN + SECOND,
      waits: 3,
      streams: 2,
      archive: null,
    });
    const untouched = { status: "queued", attempts: 0, refusals: 0, failedAt: null, problem: null };
    expect(report.tasks).toEqual([
      {
        ...untouched,
        taskId: "a",
        status: "processing",
        at: "waiting",
        lease: null,
        until: BEGIN + 2 * SECOND,
        attempts: 1,
        sends: 0,
        failedAt: BEGIN,
        problem: "engine_crashed",
      },
      {
        ...untouched,
        taskId: "b",
        at: "leased",
        lease: 2,
        until: BEGIN + 60 * SECOND,
        attempts: 1,
        sends: 0,
      },
      { ...untouched, taskId: "c", at: "sent", lease: null, until: BEGIN + 30 * SECOND, sends: 1 },
    ]);
    expect(JSON.stringify(report)).not.toContain("wish");
  });

  it("is where its archive is, and nothing to wait for where it has ended", () => {
    const { state } = requestArchive(successfulJob(), policy, BEGIN);
    const { tasks, archive } = jobReport(state, null, { waits: 0, streams: 0 });
    expect(archive).toEqual({ at: "waiting", lease: null, until: BEGIN, attempts: 0 });
    expect(tasks).toMatchObject([{ status: "success", at: "success", lease: 1, until: null }]);
  });
});
