import { describe, expect, it } from "vitest";
import { isDone, newJob, ownedBy, type JobPhase, type TaskRecord } from "../../../src/jobs/rules/state.ts";
import { accepted, BEGIN, imageJob } from "../../support/a-job.ts";

describe("a job that was just written down", () => {
  it("is prepared, not yet running, with all its tasks unsent and nothing in the account's list", () => {
    const definition = imageJob(["a", "b"]);
    const task = {
      step: { at: "waiting", notBefore: BEGIN },
      attempts: 0,
      sends: 0,
      refusals: 0,
      started: false,
      problem: null,
    };
    expect(newJob(definition)).toEqual({
      definition,
      phase: "prepared",
      tasks: [
        { taskId: "a", ...task },
        { taskId: "b", ...task },
      ],
      archive: null,
      lastLease: 0,
      updatedAt: BEGIN,
      version: 1,
      projected: 0,
      unlistedAt: null,
    });
  });
});

describe("a task", () => {
  it.each<[TaskRecord["step"], boolean]>([
    [{ at: "waiting", notBefore: BEGIN }, false],
    [{ at: "sent", resendAt: BEGIN }, false],
    [{ at: "leased", lease: 1, deadline: BEGIN }, false],
    [{ at: "success", lease: 1 }, true],
    [{ at: "failed", lease: 1 }, true],
    [{ at: "failed", lease: null }, true],
  ])("has ended in success or failure, and at no other step: %j", (step, done) => {
    for (const task of newJob(imageJob(["a"])).tasks) expect(isDone({ ...task, step })).toBe(done);
  });
});

describe("a job as its account sees it", () => {
  const job = accepted(imageJob(["a"]));

  it("is the account's own, while it runs", () => {
    expect(ownedBy(job, "acct_1")).toBe(job);
    expect(ownedBy(job, "acct_2")).toBeNull();
    expect(ownedBy(null, "acct_1")).toBeNull();
  });

  it.each<JobPhase>(["prepared", "withdrawn", "expired"])("is none that is %s", (phase) => {
    expect(ownedBy({ ...job, phase }, "acct_1")).toBeNull();
  });
});
