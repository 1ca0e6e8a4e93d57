import { describe, expect, it } from "vitest";
import { milestones, eventOf, withEvents, withoutEvents } from "../../../src/jobs/rules/milestones.ts";
import type { ArchiveRecord, JobState, TaskRecord, NotedEvent } from "../../../src/jobs/rules/state.ts";
import {
  accepted,
  BEGIN,
  imageJob,
  ended,
  failure,
  SECOND,
  SUCCESS,
  successfulJob,
} from "../../support/a-job.ts";
import { WebhookEvent } from "../../../src/webhooks/contract/webhook.ts";
import { claimArchive, completeArchive, requestArchive } from "../../../src/jobs/rules/archive.ts";
import { forgotten, nextWake } from "../../../src/jobs/rules/lifecycle.ts";
import { policy } from "../../support/job-policy.ts";
import { jobView } from "../../../src/jobs/rules/rollup.ts";
import { only } from "../../support/at.ts";

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

  it("do not happen for a job that is read or stored for the first time", () => {
    expect(milestones(null, job(9, DONE, DONE), BEGIN + 9)).toEqual([]);
  });

  it("include the end of each archive, since its request", () => {
    const asked = { attempts: 0, sends: 0, refusals: 0, requestedAt: BEGIN + 20 };
    const archive = (step: ArchiveRecord["step"]): JobState => ({
      ...job(10, DONE, DONE),
      archive: { ...asked, step },
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

  it("skip an archive that fails at its request", () => {
    const step = { at: "failed", message: "It was requested too often." } as const;
    const before = job(10, DONE, DONE);
    const after: JobState = { ...before, archive: { attempts: 0, sends: 0, refusals: 0, step } };
    expect(milestones(before, after, BEGIN + 50)).toEqual([]);
  });
});

/** A job after a change, as its object writes it. */
function written(before: JobState, after: JobState, now = BEGIN): JobState {
  let count = before.events?.length ?? 0;
  return withEvents(after, milestones(before, after, now), () => `evt_${(count += 1)}`, now);
}

const A = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";
const B = "4d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";
const batch = accepted(imageJob([A, B]));
const withArchive = (outcome: "ready" | "failed"): JobState => {
  const requested = requestArchive(successfulJob(), BEGIN).state;
  const claimed = claimArchive(requested, policy, BEGIN).state;
  const end =
    outcome === "ready"
      ? ({ outcome } as const)
      : ({ outcome, message: "It is full.", retryable: false } as const);
  return written(claimed, completeArchive(claimed, claimed.lastLease, end, policy, BEGIN).state);
};

describe("a job notes an event", () => {
  it("with the write of its end, once: job.succeeded if a task succeeded, else job.failed [A3-15]", () => {
    const half = written(batch, ended(batch, A, SUCCESS));
    expect(half.events).toBeUndefined();
    const done = written(half, ended(half, B, failure(false)), BEGIN + SECOND);
    expect(done.events).toEqual([{ id: "evt_1", type: "job.succeeded", at: BEGIN + SECOND }]);
    expect(written(done, { ...done, projected: done.version })).toEqual({ ...done, projected: done.version });

    const one = accepted(imageJob(["a"]));
    expect(written(one, ended(one, "a", failure(false))).events).toMatchObject([{ type: "job.failed" }]);
  });

  it("for the end of its archive, with the archive at that time", () => {
    expect(withArchive("ready").events).toEqual([
      {
        id: "evt_1",
        type: "archive.ready",
        at: BEGIN,
        archive: {
          jobId: "job_1",
          status: "ready",
          expiresAt: new Date(BEGIN + policy.archiveTtlMs).toISOString(),
          retryAfterSeconds: null,
          error: null,
        },
      },
    ]);
    expect(withArchive("failed").events).toMatchObject([
      { type: "archive.failed", archive: { status: "failed", error: "It is full." } },
    ]);
  });

  it("not for ends caused by deletion or expiry", () => {
    expect(written(batch, forgotten(batch, BEGIN))).toMatchObject({ phase: "expired" });
    expect(written(batch, forgotten(batch, BEGIN)).events).toBeUndefined();
  });

  it("in addition to those that are not delivered yet", () => {
    const event: NotedEvent = { id: "evt_0", type: "job.succeeded", at: BEGIN };
    const { events } = written(
      { ...withArchive("failed"), events: [event] },
      {
        ...withArchive("ready"),
        events: [event],
      },
    );
    expect(events).toEqual([event]);
  });
});

describe("an event", () => {
  it("has the API's fields: the job's status, or the archive without its URL [A3-12]", () => {
    const finished = written(batch, ended(ended(batch, A, SUCCESS), B, SUCCESS));
    const end = WebhookEvent.parse(eventOf(finished, only(finished.events ?? [])));
    expect(end).toEqual({
      type: "job.succeeded",
      timestamp: new Date(BEGIN).toISOString(),
      data: jobView(finished),
    });

    const lost = written(batch, ended(ended(batch, A, failure(false)), B, failure(false)));
    const failed = WebhookEvent.parse(eventOf(lost, only(lost.events ?? [])));
    expect(failed).toMatchObject({ type: "job.failed", data: jobView(lost) });

    const archived = withArchive("ready");
    const { data } = WebhookEvent.parse(eventOf(archived, only(archived.events ?? [])));
    expect(data).toEqual(only(archived.events ?? []).archive);
  });

  it("of an archive is never sent without it", () => {
    expect(() => eventOf(batch, { id: "evt_1", type: "archive.ready", at: BEGIN })).toThrow(/archive/);
  });

  it("wakes its job until it is handed over: each minute, unless that fails", () => {
    const archived = { ...withArchive("ready"), projected: 99 };
    expect(nextWake(archived, policy, null, BEGIN + SECOND)).toBe(BEGIN + 61 * SECOND);
    const sent = withoutEvents(archived, archived.events ?? []);
    expect(sent).not.toHaveProperty("events");
    expect(nextWake(sent, policy, null, BEGIN + SECOND)).toBe(BEGIN + policy.archiveTtlMs);
  });

  it("is removed alone once it is handed over", () => {
    const [first, second, third]: NotedEvent[] = [
      { id: "evt_1", type: "job.succeeded", at: BEGIN },
      { id: "evt_2", type: "archive.ready", at: BEGIN },
      { id: "evt_3", type: "archive.failed", at: BEGIN },
    ];
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("an event is lost");
    const events = [first, second, third];
    expect(withoutEvents({ ...batch, events }, [first, third]).events).toEqual([second]);
    expect(withoutEvents(batch, events)).toEqual(batch);
  });
});
