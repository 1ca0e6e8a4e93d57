import { describe, expect, it } from "vitest";
import { milestones } from "../../../../src/core/jobs/milestones.ts";
import type { ArchiveRecord, JobState, TaskRecord } from "../../../../src/core/jobs/state.ts";
import { accepted, BEGIN, imageJob } from "./a-job.ts";

const SENT = { started: false, step: { at: "sent", resendAt: BEGIN } } as const;
const STARTED = { started: true, step: { at: "leased", lease: 1, deadline: BEGIN } } as const;
const WAITING_AGAIN = { started: true, step: { at: "waiting", notBefore: BEGIN } } as const;
const DONE = { started: true, step: { at: "success", lease: 1 } } as const;
const FAILED = { started: true, step: { at: "failed", lease: 1 } } as const;
const GIVEN_UP = { started: false, step: { at: "failed", lease: null } } as const;

const JOB = accepted(imageJob(["a", "b"]));

/** The job `after` milliseconds, with its two tasks at these steps. */
const job = (after: number, ...steps: Pick<TaskRecord, "started" | "step">[]): JobState => ({
  ...JOB,
  tasks: JOB.tasks.map((task, i) => ({ ...task, ...steps[i] })),
  updatedAt: BEGIN + after,
});

describe("a job's milestones", () => {
  it("are its first task at the inference service and the end of its last, since its acceptance", () => {
    const life = [
      job(0, SENT, SENT),
      job(100, STARTED, SENT),
      job(100, WAITING_AGAIN, SENT),
      job(100, WAITING_AGAIN, STARTED),
      job(100, DONE, STARTED),
      job(900, DONE, FAILED),
      job(900, DONE, FAILED),
    ];
    const reached = life.map((after, i) => milestones(life[i - 1] ?? null, after, after.updatedAt));
    expect(reached).toEqual([
      [],
      [{ event: "job_started", ms: 100 }],
      [],
      [],
      [],
      [{ event: "job_ended", ms: 900, status: "success" }],
      [],
    ]);
  });

  it("are both reached at once by a report that comes before the consumer's", () => {
    expect(milestones(job(0, SENT, GIVEN_UP), job(5, FAILED, GIVEN_UP), BEGIN + 5)).toEqual([
      { event: "job_started", ms: 5 },
      { event: "job_ended", ms: 5, status: "failed" },
    ]);
  });

  it("leave out the start of a job that no service ever took", () => {
    expect(milestones(job(0, SENT, SENT), job(7, GIVEN_UP, GIVEN_UP), BEGIN + 7)).toEqual([
      { event: "job_ended", ms: 7, status: "failed" },
    ]);
  });

  it("are none for a job that is read or written down for the first time", () => {
    expect(milestones(null, job(9, DONE, DONE), BEGIN + 9)).toEqual([]);
  });

  it("are the end of each archive, since it was asked for", () => {
    const asked = { attempts: 0, sends: 0, refusals: 0, requestedAt: BEGIN + 20 };
    const archive = (step: ArchiveRecord["step"], changes: Partial<ArchiveRecord> = {}): JobState => ({
      ...job(10, DONE, DONE),
      archive: { ...asked, step, ...changes },
    });
    const waiting = archive({ at: "waiting", notBefore: BEGIN });
    const leased = archive({ at: "leased", lease: 3, deadline: BEGIN });
    const ready = archive({ at: "ready", lease: 3, expiresAt: BEGIN });
    const failed = archive({ at: "failed", message: "It is too large." });
    const at = BEGIN + 50;
    expect(milestones(job(10, DONE, DONE), waiting, at)).toEqual([]);
    expect(milestones(waiting, leased, at)).toEqual([]);
    expect(milestones(leased, ready, at)).toEqual([{ event: "archive_ended", ms: 30, status: "ready" }]);
    expect(milestones(leased, failed, at)).toEqual([{ event: "archive_ended", ms: 30, status: "failed" }]);
    expect(milestones(ready, ready, at)).toEqual([]);
    expect(milestones(failed, waiting, at)).toEqual([]);
    expect(milestones(ready, job(10, DONE, DONE), at)).toEqual([]);
  });

  it("leave out an archive that was asked for before that time was written down", () => {
    const older = { attempts: 0, sends: 0, refusals: 0 };
    const before: JobState = {
      ...job(10, DONE, DONE),
      archive: { ...older, step: { at: "leased", lease: 3, deadline: BEGIN } },
    };
    const after: JobState = {
      ...before,
      archive: { ...older, step: { at: "ready", lease: 3, expiresAt: BEGIN } },
    };
    expect(milestones(before, after, BEGIN + 50)).toEqual([]);
  });
});
